import { DeclarationError, describeValue } from '../../errors/errors.ts'
import { isObject } from '../../errors/is-object.ts'
import { orNearest } from '../../errors/suggest.ts'
import { toName } from '../../model/names.ts'

/** `none`: the names of the properties. `snake_case`, `PascalCase`: the names of the properties in this form. */
type Convention = 'none' | 'snake_case' | 'PascalCase'

/**
 * The names of the columns of a table: a convention, or the name for each property. A property that is not listed has
 * its name by the listed `convention`; without one, its own name.
 */
export type ColumnNames = Convention | Readonly<Record<string, string>>

/** Throws a DeclarationError for what TypeScript would refuse. */
export function checkColumnNames (names: ColumnNames): ColumnNames {
  if (typeof names === 'string' ? isConvention(names) : isNames(names)) return names
  const list = Object.keys(conventions)
  const advice = typeof names === 'string' ? orNearest(names, list) : ''
  const expected = `expected ${list.join(', ')}, or an object of names`
  throw new DeclarationError(`table(name, { columns }): ${expected}; found ${describeValue(names)}${advice}`)
}

const isNames = (names: unknown) =>
  isObject(names) && Object.values(names).every(name => typeof name === 'string')

/** The columns of a table. `column` returns the name of the column that stores a property. */
interface ColumnNaming { readonly column: (property: string) => string, readonly namedColumns: readonly string[] }

/** Returns the names of the columns, and the properties that `names` lists. */
export function columnNaming (names: ColumnNames): ColumnNaming {
  if (typeof names === 'string') return { column: conventions[names], namedColumns: [] }
  // A property `convention` may be listed as well: its column is not named like a convention.
  const named = names['convention']
  const convention = isConvention(named) ? named : 'none'
  const exceptions = new Map(Object.entries(names))
  if (isConvention(named)) exceptions.delete('convention')
  const column = (property: string) => exceptions.get(property) ?? conventions[convention](property)
  return { column, namedColumns: [...exceptions.keys()] }
}

const conventions: Readonly<Record<Convention, (property: string) => string>> = {
  none: property => property,
  snake_case: property => toName('snake_case', property),
  PascalCase: property => toName('PascalCase', property)
}

const isConvention = (name: string | undefined): name is Convention =>
  name !== undefined && Object.hasOwn(conventions, name)
