import type { ExpressionField } from '../../../model/model.ts'
import type { Finding } from '../../catalog-check.ts'
import { sql } from '../load-kysely.ts'
import { tableOf } from '../source.ts'
import type { Dialect } from '../statements/dialect.ts'
import { makeCompiler } from '../statements/statements.ts'
import { column, table, tableRef } from '../statements/table.ts'
import { showTable } from '../table-name.ts'
import type { Served } from './compare.ts'
import { fault, placeOfField } from './finding.ts'

/** The part of a database that tells if it takes a statement. */
export interface StatementReader {
  readonly dialect: Dialect
  /** Returns the message with which the database refuses a statement; undefined if it takes it. */
  refusal (text: string, parameters: readonly unknown[]): Promise<string | undefined> | string | undefined
}

/** Finds expressions that the database refuses: they name a column, a table or a function that is not there. */
export async function findRefused (served: Served, reader: StatementReader): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const field of served.collection.properties.values()) {
    if (field.kind === 'expression') findings.push(...await findingOf(field, served, reader))
  }
  return findings
}

async function findingOf (
  field: ExpressionField, { collection }: Served, { dialect, refusal }: StatementReader
): Promise<readonly Finding[]> {
  const ref = tableRef(collection, '(row)')
  const value = column(ref, field)
  const statement = sql`select ${value} from ${table(ref)} limit 0`.compile(makeCompiler(dialect))
  const message = await refusal(statement.sql, statement.parameters)
  if (message === undefined) return []
  const advice = `an expression takes the columns of the table '${showTable(tableOf(collection))}'`
  return [fault(placeOfField(collection, field), `the database refuses its expression: ${message}; ${advice}`)]
}
