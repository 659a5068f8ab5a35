import { DataApiError } from '../../../errors.ts'
import type { StoredField } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import type { CatalogColumn } from '../catalog.ts'
import { tableOf } from '../source.ts'
import { describe } from './columns.ts'
import type { Served } from './compare.ts'
import { fault, placeOfField, showColumn } from './finding.ts'
import type { TypeRules } from './types.ts'

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** An identifier, and conditions in SQL: on each of its values, and on the texts by which clients tell them apart. */
interface Identifier {
  readonly field: StoredField
  readonly column: CatalogColumn
  readonly fits: string
  readonly shown: string | undefined
}

// A whole table may be large. One wrong value in the first rows is proof enough, and none is no proof anyway.
const sample = 10_000

/**
 * Finds values by which no URL leads to their item: those that are not of the field's type, and those that clients see
 * as one. A column may hold both where its type is wider than the field's.
 */
export async function findUnusable (
  served: Served, rules: TypeRules, query: (text: string) => Promise<Rows> | Rows
): Promise<readonly Finding[]> {
  const identifiers = served.table.kind === 'table' ? identifiersOf(served, rules) : []
  if (identifiers.length === 0) return []
  const counts = identifiers.flatMap(({ column, fits, shown = quote(column.name) }, index) => [
    `max(case when ${fits} then 0 else 1 end) as m${index}`,
    `case when count(${quote(column.name)}) > count(distinct ${shown}) then 1 else 0 end as s${index}`
  ])
  const columns = [...new Set(identifiers.map(({ column }) => quote(column.name)))].join(', ')
  try {
    const rows = `select ${columns} from ${quotedTable(served)} limit ${sample}`
    const [row] = await query(`select ${counts.join(', ')} from (${rows}) as r`)
    return identifiers.flatMap((identifier, index) => [
      ...Number(row?.[`m${index}`]) === 1 ? [misfit(identifier, served)] : [],
      ...identifier.shown !== undefined && Number(row?.[`s${index}`]) === 1 ? [seenAsOne(identifier, served)] : []
    ])
  } catch (error) {
    if (error instanceof DataApiError && error.code === 'unavailable') throw error
    // The role may lack the right to read some column. Requests for it tell that better.
    return []
  }
}

function identifiersOf ({ collection, columns }: Served, { fits, shownAs }: TypeRules): readonly Identifier[] {
  return [...columns].flatMap(([field, column]) => {
    const isKey = collection.key.includes(field)
    if (!isKey && !field.identifier) return []
    const name = quote(column.name)
    const condition = fits(field.type.kind, column, name)
    // Values of a key of several fields are told apart together.
    const shown = isKey && collection.key.length > 1 ? undefined : shownAs(field.type.kind, column, name)
    if (condition === undefined && shown === undefined) return []
    const whole = condition ?? '1 = 1'
    return [{ field, column, shown, fits: isKey ? `${name} is not null and ${whole}` : `${name} is null or ${whole}` }]
  })
}

function misfit ({ field, column }: Identifier, { collection }: Served): Finding {
  const found = `the column ${showColumn(collection, column.name)} holds a value that is not ${describe(field)}`
  return fault(placeOfField(collection, field), `identifies items, but ${found}, and no URL leads to its item; ` +
    'declare a type that holds all of its values, such as Type.String(), or correct the value')
}

function seenAsOne ({ field, column }: Identifier, { collection }: Served): Finding {
  const found = `clients see several values of the column ${showColumn(collection, column.name)} as one`
  return fault(placeOfField(collection, field), `identifies items, but ${found}, since the field is ` +
    `${describe(field)}; declare a type that tells them apart, or correct the values`)
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

function quotedTable ({ collection }: Served): string {
  const { schema, name } = tableOf(collection)
  return schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`
}
