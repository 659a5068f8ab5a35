import type { Declared } from '../../../declare/collection.ts'
import { compileModel } from '../../../model/compile.ts'
import type { Collection, ExpressionField } from '../../../model/model.ts'
import { type CatalogCheck, faultyDeclarations, type Finding, messagesOf } from '../../catalog-check.ts'
import type { Catalog } from '../catalog.ts'
import { sql } from '../load-kysely.ts'
import { tableOf, tablesOf } from '../source.ts'
import type { Dialect } from '../statements/dialect.ts'
import { makeCompiler } from '../statements/statements.ts'
import { column, table, tableRef } from '../statements/table.ts'
import { showTable, type TableName } from '../table-name.ts'
import { compare, fault, placeOfField, type ServedTable } from './compare.ts'
import type { TypeRules } from './type-rules.ts'

/** The facts that a check reads from its database. */
export interface CatalogReader extends StatementReader {
  readTables (names: readonly TableName[]): Promise<Catalog> | Catalog
}

export async function findDifferences (
  collections: readonly Collection[], reader: CatalogReader, rules: TypeRules
): Promise<readonly Finding[]> {
  const catalog = await reader.readTables(tablesOf(collections))
  const { findings, served } = compare(collections, catalog, rules)
  const refused: Finding[] = []
  for (const one of served) refused.push(...await findRefused(one, reader))
  return [...findings, ...refused]
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

/** The part of a database that tells if it takes a statement. */
interface StatementReader {
  readonly dialect: Dialect
  /** Returns the message with which the database refuses a statement; undefined if it takes it. */
  refusal (text: string, parameters: readonly unknown[]): Promise<string | undefined> | string | undefined
}

/** Finds expressions that the database refuses: they name a column, a table or a function that is not there. */
async function findRefused (served: ServedTable, reader: StatementReader): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const field of served.collection.properties.values()) {
    if (field.kind === 'expression') findings.push(...await findingOf(field, served, reader))
  }
  return findings
}

async function findingOf (
  field: ExpressionField, { collection }: ServedTable, { dialect, refusal }: StatementReader
): Promise<readonly Finding[]> {
  const ref = tableRef(collection, '(row)')
  const value = column(ref, field)
  const statement = sql`select ${value} from ${table(ref)} limit 0`.compile(makeCompiler(dialect))
  const message = await refusal(statement.sql, statement.parameters)
  if (message === undefined) return []
  const advice = `an expression takes the columns of the table '${showTable(tableOf(collection))}'`
  return [fault(placeOfField(collection, field), `the database refuses its expression: ${message}; ${advice}`)]
}
