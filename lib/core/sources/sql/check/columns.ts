import type { TSchema } from '@sinclair/typebox'
import type { Collection, StoredField } from '../../../model/model.ts'
import { referencesOf } from '../../../model/relations.ts'
import type { Finding } from '../../catalog-check.ts'
import { widerThan } from '../../../model/column-limits.ts'
import type { CatalogColumn, TypeFamily } from '../catalog.ts'
import { distinctIn } from '../needs.ts'
import { fault, placeOfField, type ServedTable, showColumn, warning } from './compare.ts'
import { declarationOf, type TypeRules } from './type-rules.ts'

/** Compares a field with its column: the type, the members of an enum, and whether clients can write it. */
export function checkColumn (
  field: StoredField, column: CatalogColumn, served: ServedTable, rules: TypeRules
): readonly Finding[] {
  const about = { field, column, served, place: placeOfField(served.collection, field) }
  return [
    ...checkType(about, rules), ...checkMembers(about), ...checkGenerated(about), ...checkLimits(about),
    ...checkDigits(about, rules)
  ]
}

interface About {
  readonly field: StoredField
  readonly column: CatalogColumn
  readonly served: ServedTable
  readonly place: string
}

const show = ({ column, served }: About) => `the column ${showColumn(served.collection, column.name)}`

function checkType (about: About, { suits }: TypeRules): readonly Finding[] {
  const { field, column, place } = about
  const { kind } = field.type
  // JSON is checked by its schema. A column that may hold anything suits every kind.
  const suitable = kind === 'json' ? jsonFamilies(field.schema) : suits(kind)
  if (suitable === undefined || column.family === 'any' || suitable.includes(column.family)) return []
  const advice = `declare ${declarationOf(column)}, or change the column's type`
  return [fault(place, `${show(about)} is ${column.type}, but the field is ${describe(field)}; ${advice}`)]
}

/** Returns the families that hold an array or an object; undefined for JSON of any type. */
function jsonFamilies ({ type }: TSchema): readonly TypeFamily[] | undefined {
  if (type === 'array') return arrays
  return type === 'object' ? objects : undefined
}

const objects: readonly TypeFamily[] = ['json', 'text', 'bytes', 'other']
const arrays: readonly TypeFamily[] = [...objects, 'array']

/** Returns the type of a field in the words of messages. */
function describe ({ type: { kind }, schema }: StoredField): string {
  switch (kind) {
    case 'string': return 'a string'
    case 'integer': return 'an integer'
    case 'number': return 'a number'
    case 'boolean': return 'a boolean'
    case 'json': return schema['type'] === 'array' ? 'an array' : 'an object'
    default: return `a string of the format '${kind}'`
  }
}

function checkMembers (about: About): readonly Finding[] {
  const { field, column: { members, choices }, place } = about
  const declared = choicesOf(field.schema)
  // PostgreSQL writes a number as it likes, such as '-1'::integer and 1000000000000000000000.
  const isNumber = field.type.kind === 'integer' || field.type.kind === 'number'
  const allowed = members ?? choices?.map(choice => String(isNumber ? Number(choice) : choice))
  if (allowed === undefined || declared.length === 0) return []
  const unknown = declared.filter(choice => !allowed.includes(choice))
  const undeclared = allowed.filter(choice => !declared.includes(choice))
  const has = describeChoices(about, allowed)
  const lacks = undeclared.length > 0 ? `, and the field lacks ${list(undeclared)}` : ''
  if (unknown.length > 0) {
    return [fault(place, `${has}, which has no ${list(unknown)}${lacks}; declare ${declarationOf(about.column)}`)]
  }
  return undeclared.length === 0
    ? []
    : [warning(place, `${has}; the field lacks ${list(undeclared)}, which would be shown without being declared`)]
}

function describeChoices (about: About, allowed: readonly string[]): string {
  const { members, type } = about.column
  return members === undefined
    ? `${show(about)} has a check constraint that lists ${list(allowed)}`
    : `${show(about)} is the enum ${type} of ${list(allowed)}`
}

/** Finds what the schema allows and the column does not take, so that clients are refused what they were promised. */
function checkLimits (about: About): readonly Finding[] {
  const { field: { schema, writable }, column: { limits, type }, place } = about
  if (!writable || limits === undefined) return []
  return widerThan(schema, limits).map(({ keyword, most }) => warning(place,
    `has a ${keyword} beyond ${show(about)}, which is ${type} and limits clients all the same; declare ${most}`))
}

/** Checks that clients see all digits of a value that names an item. */
function checkDigits (about: About, { adviseOnDigits }: TypeRules): readonly Finding[] {
  const { field, column, served: { collection }, place } = about
  const advice = adviseOnDigits(field.type.kind, column)
  if (advice === undefined || !namesItem(field, collection)) return []
  const reason = `${show(about)} is ${column.type}, of which ${describe(field)} does not show all digits`
  return [fault(place, `names an item, but ${reason}, so that several items may look like one; ${advice}`)]
}

const namesItem = (field: StoredField, collection: Collection) => field.identifier || collection.key.includes(field) ||
  referencesOf(collection).some(({ foreignKey }) => foreignKey.includes(field))

const list = (names: readonly string[]) => names.map(name => `'${name}'`).join(', ')

/** Returns the values that the literals and enums of a schema allow, as text; none for any other schema. */
function choicesOf (schema: TSchema): readonly string[] {
  if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as readonly TSchema[]).flatMap(choicesOf)
  const values = Array.isArray(schema['enum']) ? schema['enum'] as readonly unknown[] : [schema['const']]
  return values.filter(value => typeof value === 'string' || typeof value === 'number').map(String)
}

function checkGenerated (about: About): readonly Finding[] {
  const { field, column: { generated, computed, identity }, served: { collection }, place } = about
  // The application's setter may well store the value elsewhere.
  if (!field.writable || collection.setters.has(field.property)) return []
  const advice = "remove the flag 'writable'"
  if (generated) return [fault(place, `is flagged 'writable', but ${show(about)} is generated; ${advice}`)]
  if (computed) return [fault(place, `is flagged 'writable', but the view computes ${show(about)}; ${advice}`)]
  if (identity !== 'always' || collection.key.includes(field)) return []
  return [fault(place, `is flagged 'writable', but ${show(about)} is generated always as identity; ${advice}`)]
}

/**
 * Checks that what is unique has a unique index: the fields of the key together, each other identifier alone, and each
 * list of `unique`. Without one, pages lose the rows that share a value.
 */
export function checkUniqueness (served: ServedTable): readonly Finding[] {
  return distinctIn([served.collection]).flatMap(({ fields }) => checkUnique(fields, served))
}

function checkUnique (
  fields: readonly StoredField[], { collection, table, columns }: ServedTable
): readonly Finding[] {
  const [first] = fields
  const names = fields.flatMap(field => columns.get(field)?.name ?? [])
  // Missing columns are reported already, and system columns have no index.
  if (first === undefined || names.length < fields.length) return []
  const place = placeOfField(collection, first)
  if (table.isInherited) {
    const reason = 'other tables inherit from its table, whose unique indexes do not hold for them'
    return [warning(place, `identifies items, but ${reason}; make sure that its values are unique`)]
  }
  if (table.unique.some(index => index.length > 0 && index.every(name => names.includes(name)))) return []
  return [fault(place, explain(names.map(name => showColumn(collection, name)), names, table.primaryKey))]
}

function explain (shown: readonly string[], names: readonly string[], primaryKey: readonly string[]): string {
  const found = shown.length === 1
    ? `identifies items, but no unique index proves that the values of the column ${shown.join()} are unique`
    : `identifies items with others, but no unique index covers the columns ${shown.join(', ')}`
  const isPart = names.length === 1 && primaryKey.length > 1 && primaryKey.some(name => names.includes(name))
  const composite = `use the whole primary key (${primaryKey.join(', ')}) as 'key' of the collection`
  return `${found}; ${isPart ? composite : `add one${shown.length === 1 ? ", or remove the flag 'identifier'" : ''}`}`
}

/** Finds fields that may not be null, over columns that may be. */
export function checkNulls ({ collection, columns, table }: ServedTable): readonly Finding[] {
  // The catalog does not say whether an expression can be null.
  if (table.kind !== 'table') return []
  return [...columns].filter(([field, column]) => !field.nullable && column.nullable && !column.generated)
    .map(([field, column]) => warning(placeOfField(collection, field), 'may not be null, but the column ' +
      `${showColumn(collection, column.name)} may be, and pages lose rows with null; ` +
      'declare Type.Optional(...) or a union with Type.Null(), or make the column not null'))
}
