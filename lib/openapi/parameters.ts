import type { Collection } from '../model/model.ts'
import { operatorNames } from '../model/values.ts'
import { type ParameterKind, parameterOf, type Syntax } from '../request/syntax.ts'
import type { Describing } from './describing.ts'
import { filterableFields, sortableFields } from './filters.ts'
import { readableFields } from './items.ts'
import type { Parameter, Schema } from './objects.ts'

/** Returns the parameters of a listing, but for filters with a name of their own. */
export function listParameters (collection: Collection, describing: Describing): readonly Parameter[] {
  return [
    whereParameter(collection, describing),
    sortParameter(collection, describing),
    ...selectionParameters(collection, describing),
    ...pageParameters(describing)
  ]
}

/** Returns the parameter that selects fields; none in a profile without it. */
export function selectionParameters (collection: Collection, describing: Describing): readonly Parameter[] {
  if (!describing.profile.selection) return []
  const names = readableFields(collection, describing).map(({ name }) => name).join(', ')
  const grammar = 'Fields of related items stand in parentheses, as in `a,b(c,d;sort=c;limit=3)`.'
  return [parameter('fields', describing, `The fields to show, separated by commas: ${names}. ${grammar}`, text)]
}

const text: Schema = { type: 'string', minLength: 1 }

/** `where` is an array, because it can be repeated; all its filters must hold. */
function whereParameter (collection: Collection, describing: Describing): Parameter {
  const fields = filterableFields(collection).map(({ name, type }) => `${name} (${type.kind})`).join(', ')
  const grammar = 'Filters, all of which must hold: `field operator value`, or a group in parentheses with `|` (or), ' +
    '`,` (and) and `!( )` (not), such as `(a<5|a>60)`. A path such as `relation.field` reaches related items.'
  const description = `${grammar} Operators: ${operatorList(describing.syntax)}. Fields: ${fields}.`
  const schema = { type: 'array', items: text }
  return { ...parameter('where', describing, description, schema), style: 'form', explode: true }
}

/** A string and not an array: some generators repeat the parameter for an array, whatever `explode` says. */
function sortParameter (collection: Collection, describing: Describing): Parameter {
  const names = sortableFields(collection).map(({ name }) => name).join(', ')
  const grammar = 'The order: fields separated by commas, each with `asc` or `desc` after a space.'
  const description = `${grammar} Fields: ${names}.`
  return parameter('sort', describing, description, text)
}

function pageParameters (describing: Describing): readonly Parameter[] {
  const count = { type: 'integer', minimum: 1 }
  const size = describing.profile.details ? 'size' : limitName(describing.syntax)
  return [
    ...describing.profile.details ? [parameter('page', describing, 'The number of the page, from 1.', count)] : [],
    { ...parameter('size', describing, 'The number of items on a page.', count), name: size },
    parameter('offset', describing, 'The number of items to skip.', { type: 'integer', minimum: 0 }),
    parameter('after', describing, 'The cursor of a `next` link.', text),
    ...describing.profile.details ? [parameter('before', describing, 'The cursor of a `prev` link.', text)] : []
  ]
}

/** Language models know `limit` better than other names of a page's size. */
const limitName = ({ parameters }: Syntax): string =>
  parameters.get('limit') === 'size' ? 'limit' : [...parameters].find(([, kind]) => kind === 'size')?.[0] ?? 'size'

function parameter (kind: ParameterKind, { syntax }: Describing, description: string, schema: Schema): Parameter {
  return { name: parameterOf(kind, syntax), in: 'query', description, schema }
}

const operatorList = ({ operators }: Syntax): string => operatorNames
  .flatMap(name => operators.filter(([, operator]) => operator === name).map(([spelling]) => spelling).slice(-1))
  .map(spelling => `\`${spelling}\``).join(' ')

/** The path parameter of an item. */
export const identifierParameter = (collection: Collection): Parameter => ({
  name: 'identifier',
  in: 'path',
  required: true,
  description: `The item's identifier: ${collection.identifiers.map(({ name }) => name).join(' or ')}.`,
  schema: { type: 'string' }
})

/** The headers of reads, and those of writes. */
export const readHeaders: readonly Parameter[] = [
  header('If-None-Match', 'The ETag of the representation that the client has.')
]
export const countHeader = header('Prefer', '`count=exact` counts all items.')
export const returnHeader = header(
  'Prefer', '`return=representation` answers with the item, `return=minimal` without a body.'
)
export const matchHeader = header('If-Match', 'The ETag that the item must have, so that no change is lost.')

function header (name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: { type: 'string' } }
}
