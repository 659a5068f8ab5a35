import type { Design, FieldDesign } from '../../lib/tools/command/scaffold/design.ts'

/** Returns the fields of each collection of a design in short. */
export const short = ({ collections }: Design) =>
  Object.fromEntries(collections.map(one => [one.property, one.fields.map(shortField)]))

/** A field in short: its property, its column where that is another, its type and flags. */
function shortField (field: FieldDesign): string {
  const { flags } = field
  const marks = `${flags.identifier === true ? '!' : ''}${flags.readable === true ? '' : '-'}`
  if (field.kind === 'sub-item') return `${field.property} -> ${field.target}(${field.foreignKey.join()})`
  if (field.kind === 'sub-collection') {
    const join = field.join === undefined ? '' : ` by ${field.join.through}.${field.join.otherKey.join()}`
    return `${field.property} => ${field.target}(${field.foreignKey.join()})${join}`
  }
  const { type, optional } = field
  const kind = type.kind === 'text' ? type.format : type.kind === 'choice' ? type.values.join('|') : type.kind
  return `${marks}${field.property}${optional ? '?' : ''} ${kind}`
}
