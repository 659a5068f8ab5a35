import type { Declared } from '../../../declare/collection.ts'
import { compileModel } from '../../../model/compile.ts'
import type { Collection } from '../../../model/model.ts'
import { type CatalogCheck, faultyDeclarations, type Finding, messagesOf } from '../../catalog-check.ts'
import type { Catalog } from '../catalog.ts'
import type { TableName } from '../table-name.ts'
import { compare, tablesOf } from './compare.ts'
import { findRefused, type StatementReader } from './expressions.ts'
import type { TypeRules } from './types.ts'

/** The facts that a check reads from its database. */
export interface CatalogReader extends StatementReader {
  readTables (names: readonly TableName[]): Promise<Catalog> | Catalog
}

/** Compares collections with the tables of their database. */
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
