import type { ValueRange } from '../../../declare/source.ts'
import { type CatalogColumn, plainColumn, type TypeFamily } from '../catalog.ts'
import type { Literal } from '../choices.ts'
import { quoteName, quoteTable, type TableName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'
import { isBusy } from './faults.ts'
import { spacedType } from './timestamps.ts'

/** A column as SQLite lists it. */
export interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly required: number
  readonly fallback: string | null
  readonly pk: number
  /** 1 for a hidden column of a virtual table, 2 and 3 for a generated column. */
  readonly hidden: number
}

/** The table of a column. `collates`: true if a column of it may have a collation of its own. */
interface Of extends TableName { readonly strict: number, readonly collates: boolean }

/** What else is known of a column. `isNumbered`: true if an insert without it gets the next number. */
interface Known { readonly isNumbered: boolean, readonly choices: readonly Literal[] | undefined }

export function readColumn (
  driver: Pick<SqliteDriver, 'prepare'>, table: Of, row: ColumnRow, { isNumbered, choices }: Known
): CatalogColumn {
  const { name, type, required, fallback, pk, hidden } = row
  const collation = table.collates ? findCollation(driver, table, name) : binary
  // A column of text turns every number into text. Others take text that is no number, so they may hold anything.
  const family = affinityOf(type) === 'text' ? 'text' : 'any'
  return {
    ...plainColumn,
    name,
    type: type === '' ? 'without a type' : type,
    family: table.strict === 1 ? strictFamilies[type.toUpperCase()] ?? 'any' : family,
    // SQLite allows null in most primary keys, which nobody who declares one means.
    nullable: required === 0 && pk === 0,
    filled: fallback !== null || hidden > 1 || isNumbered,
    default: fallback ?? undefined,
    generated: hidden > 1,
    collation,
    choices: storedChoices(table, row, choices, collation),
    range: rangeOf(type)
  }
}

/**
 * Returns the range of a column's values. Every column of integers may hold 64 bits: those who declare a field of
 * integers over one that is not called so hold smaller ones in it.
 */
function rangeOf (declared: string): ValueRange | undefined {
  switch (affinityOf(declared)) {
    case 'integer': return /BIG|INT8/i.test(declared) ? 'int64' : undefined
    case 'numeric': return 'decimal'
    case 'real': return 'float'
    default: return undefined
  }
}

const strictFamilies: Readonly<Record<string, TypeFamily>> =
  { INT: 'integer', INTEGER: 'integer', REAL: 'float', TEXT: 'text', BLOB: 'bytes' }

/**
 * Returns a column's type for statements: in upper case those of STRICT tables and of row numbers, which hold no values
 * of other types, and in lower case the affinities of all others, which prefer values of a type. The type of texts that
 * are not compared by their bytes is `text collate`.
 */
export function columnTypeOf (
  { type, fallback, hidden }: ColumnRow, { strict }: Pick<Of, 'strict'>, collation: string | undefined
): string {
  const affinity = affinityOf(type)
  if (affinity === 'text' && /current_timestamp|datetime *\(/i.test(fallback ?? '')) return spacedType
  // Older versions of SQLite do not check the type of a generated column.
  const stored = strict === 1 && hidden === 0 ? type.toUpperCase() : affinity
  return /^text$/i.test(stored) && collation !== binary ? `${stored} collate` : stored
}

/** Returns true for a column of text, and for one whose type is unknown. */
export const isTextType = (type: string) => type === '' || /^text\b/i.test(type)
/** Returns true for a column of texts that is compared by their bytes. */
export const isBinaryText = (type: string) => /^text$/i.test(type)
export const isIntegerType = (type: string) => /^int/i.test(type)

/** Returns the affinity of a declared type (sqlite.org/datatype3.html, 3.1). */
function affinityOf (declared: string): string {
  const type = declared.toUpperCase()
  if (type.includes('INT')) return 'integer'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  if (type === '' || type.includes('BLOB')) return 'blob'
  return /REAL|FLOA|DOUB/.test(type) ? 'real' : 'numeric'
}

/**
 * Returns the choices of a column as it stores them. Undefined for texts that another collation compares: the column
 * may hold other spellings of them.
 */
function storedChoices (
  { strict }: Of, { type }: ColumnRow, listed: readonly Literal[] | undefined, collation: string | undefined
): readonly Literal[] | undefined {
  const isAny = strict === 1 && type.toUpperCase() === 'ANY'
  const choices = isAny ? listed : listed?.map(choice => storedChoice(choice, affinityOf(type)))
  const hasTexts = choices?.some(choice => typeof choice === 'string') === true
  return hasTexts && collation !== binary ? undefined : choices
}

/** A column of text turns every number into text, and a column of numbers each text that is a number into that. */
function storedChoice (choice: Literal, affinity: string): Literal {
  if (affinity === 'text') return String(choice)
  return affinity !== 'blob' && typeof choice === 'string' && isNumber.test(choice) ? Number(choice) : choice
}

const isNumber = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i

/**
 * Returns the collation by which SQLite compares a column, in upper case: the code of a comparison names it, such as
 * `NOCASE-8`; no table does. Undefined for a collation that the connection does not have.
 */
function findCollation (
  driver: Pick<SqliteDriver, 'prepare'>, table: TableName, column: string
): string | undefined {
  // The plus sign keeps SQLite from looking the value up in an index.
  const text = `explain select +${quoteName(column)} = '' from ${quoteTable(table)}`
  let steps: readonly Step[]
  try {
    steps = driver.prepare(text).all() as readonly Step[]
  } catch (error) {
    if (isBusy(error)) throw error
    return undefined
  }
  // A column may be an expression that compares on its own, before the comparison with the value.
  const comparison = steps.findLast(({ opcode }) => opcode === 'Eq' || opcode === 'Ne')
  return /^\(?(\w+)/.exec(comparison?.p4 ?? '')?.[1]?.toUpperCase() ?? binary
}

/** The collation that compares the bytes of texts. */
const binary = 'BINARY'

/** A step of the code that SQLite compiles a statement to. */
interface Step { readonly opcode: string, readonly p4: string | null }
