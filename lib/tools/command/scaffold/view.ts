import { likeName, toName } from '../../../core/model/names.ts'
import { parametersOf } from '../syntax.ts'
import type { CollectionDesign, FieldDesign, ScalarDesign } from './design.ts'

/**
 * Returns the query by which a page lists the items of a collection with the names of those that they refer to.
 * Undefined where they refer to none, and for one that is long, or in which a name has a meaning of its own.
 */
export function viewOf (
  design: CollectionDesign, designs: ReadonlyMap<string, CollectionDesign>
): string | undefined {
  if (!design.fields.some(({ kind }) => kind === 'sub-item')) return undefined
  const shown = design.fields.filter(({ flags }) => flags.readable === true && flags.hidden !== true)
  const fields = shown.map(field => {
    const target = field.kind === 'scalar' ? undefined : designs.get(field.target)
    return target === undefined ? wire(field) : `${wire(field)}(${namesOf(target).map(wire).join(',')})`
  }).join(',')
  const isPlain = /^[\w,()]+$/.test(fields) && fields.length <= longest
  return isPlain ? `${parametersOf(design).nameOf('fields')}=${fields}` : undefined
}

// In characters: it stands in each link to the collection.
const longest = 2000

const wire = ({ property }: Pick<FieldDesign, 'property'>) => toName('snake_case', property)

/** Returns the fields that identify an item, and the one that people know it by. */
function namesOf ({ key = [], fields }: CollectionDesign): readonly FieldDesign[] {
  const scalars = fields.filter((field): field is ScalarDesign =>
    field.kind === 'scalar' && field.flags.readable === true)
  const keys = scalars.filter(({ property, flags }) => flags.identifier === true || key.includes(property))
  const texts = scalars.filter(({ type }) => type.kind === 'string')
  const name = texts.find(field => likeName.test(wire(field))) ??
    texts.find(({ flags }) => flags.identifier === true) ?? texts[0]
  return name === undefined || keys.includes(name) ? keys : [...keys, name]
}
