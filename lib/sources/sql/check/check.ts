import type { Declared } from '../../../collection.ts'
import { DataApiError } from '../../../errors.ts'
import { compileModel } from '../../../model/compile.ts'
import type { Collection, StoredField } from '../../../model/model.ts'
import { type CatalogCheck, faultyDeclarations, type Finding, messagesOf } from '../../catalog-check.ts'
import type { Catalog } from '../catalog.ts'
import { tableOf } from '../source.ts'
import { quoteName, quoteTable, type TableName } from '../table-name.ts'
import { compare, type Served, tablesOf } from './compare.ts'
import { findRefused, type StatementReader } from './expressions.ts'
import { findUnusable } from './identifiers.ts'
import { fieldsWithoutNull, nullFinding } from './keys.ts'
import type { ShownReader } from './shown.ts'
import type { TypeRules } from './types.ts'
import { findMisfits } from './values.ts'

/** The facts that a check reads from its database. */
export interface CatalogReader extends ShownReader, StatementReader {
  readTables (names: readonly TableName[]): Promise<Catalog> | Catalog
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Compares collections with the tables of their database. */
export async function findDifferences (
  collections: readonly Collection[], reader: CatalogReader, rules: TypeRules
): Promise<readonly Finding[]> {
  const catalog = await reader.readTables(tablesOf(collections))
  const { findings, served } = compare(collections, catalog, rules)
  const found: Finding[] = []
  for (const one of served) {
    found.push(...await findNulls(one, reader), ...await findUnusable(one, rules, reader))
    found.push(...await findMisfits(one, reader), ...await findRefused(one, reader))
  }
  return [...findings, ...found]
}

/** Finds nulls in columns whose fields may not be null: pages would lose these rows. */
async function findNulls (served: Served, reader: CatalogReader): Promise<readonly Finding[]> {
  const fields = fieldsWithoutNull(served)
  if (fields.length === 0) return []
  const [row] = await queryNulls(fields, served, reader)
  return fields.map((field, index) => nullFinding(field, served, Number(row?.[`n${index}`] ?? 0) === 1))
}

// A whole table may be large. One null in the first rows is proof enough, and none is no proof anyway.
const sample = 10_000

async function queryNulls (
  fields: readonly StoredField[], { collection, columns }: Served, { query }: CatalogReader
): Promise<Rows> {
  const names = fields.map(field => quoteName(columns.get(field)?.name ?? ''))
  const table = quoteTable(tableOf(collection))
  const found = names.map((column, index) => `max(case when ${column} is null then 1 else 0 end) as n${index}`)
  try {
    const rows = `select ${names.join(', ')} from ${table} limit ${sample}`
    return await query(`select ${found.join(', ')} from (${rows}) as r`)
  } catch (error) {
    if (error instanceof DataApiError && error.code === 'unavailable') throw error
    // The role may lack the right to read some column. Requests for it tell that better.
    return []
  }
}

/**
 * Checks the declarations whose collections are in this database. Returns the warnings. Throws a DeclarationError with
 * all faults.
 */
export async function checkDeclared (
  declared: Readonly<Record<string, Declared>>, database: object, { run }: CatalogCheck
): Promise<readonly string[]> {
  const { collections } = compileModel(declared, compiling)
  const own = [...collections.values()].filter(({ source }) => source.database === database)
  const findings = await run(own)
  const faults = messagesOf(findings, 'fault')
  if (faults.length > 0) throw faultyDeclarations(faults)
  return messagesOf(findings, 'warning')
}

// The names on the wire do not matter here, so each property has a valid one of its own.
const compiling = {
  naming: (name: string) => name.replaceAll(/[^A-Za-z0-9]/gu, character => `_${character.codePointAt(0) ?? 0}_`),
  pages: { defaultSize: 1, maxSize: Infinity },
  reserved: new Map<string, string>()
}
