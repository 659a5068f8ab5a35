import { sql } from '../load-kysely.ts'
import type { DataField } from '../../../model/model.ts'
import { positionName } from '../../../plan/order.ts'
import type { Row } from '../../../plan/plan.ts'
import type { Builder } from './builder.ts'
import type { Sql } from './dialect.ts'
import { column, type TableRef } from './table.ts'

/**
 * A position that rows carry besides a field's value, under its name in a row. `isNone`: a condition for values without
 * a position, which need not hold for all of them.
 */
interface Position { readonly name: string, readonly sql: Sql, readonly isNone: Sql }

/**
 * Returns the positions of those fields whose values as shown do not tell where a row is in the order. Of stored texts,
 * SQL tells the positions of other values alone.
 */
export function positionsOf (
  fields: readonly DataField[], ref: TableRef, { dialect, columnType }: Builder
): readonly Position[] {
  return fields.flatMap(field => {
    const value = column(ref, field)
    const type = columnType(ref.collection, field)
    const texts = dialect.storedTexts
    const position = texts?.areIn(type) === true ? texts.otherPosition(value, type) : dialect.position(value, type)
    if (position === undefined) return []
    const isNone = position.isNone ?? sql`${position.sql} is null`
    return [{ name: positionName({ field }), sql: position.sql, isNone }]
  })
}

/** The fields of a page whose texts have positions that their bytes tell (Dialect.storedTexts). */
export interface TextsOfPage {
  /** Returns the text of a result as bytes. */
  asBytes (text: Sql): Sql
  /** Returns a row at the end of the page with their positions. `stored`: returns a field's bytes, each a character. */
  tell (row: Row, stored: (field: DataField) => unknown): Row
}

/** Returns those among some fields; undefined if there are none. */
export function textsAmong (
  fields: readonly DataField[], { collection }: Pick<TableRef, 'collection'>,
  { dialect: { storedTexts }, columnType }: Builder
): TextsOfPage | undefined {
  const texts = fields.filter(field => storedTexts?.areIn(columnType(collection, field)))
  if (storedTexts === undefined || texts.length === 0) return undefined
  return {
    asBytes: storedTexts.asBytes,
    tell (row, stored) {
      const positions = texts.flatMap(field => {
        const shown = row[field.property]
        if (typeof shown !== 'string') return []
        const position = storedTexts.textPosition(shown, () => Buffer.from(String(stored(field)), 'latin1'))
        // Of bytes, which are no text, SQL tells the position.
        const name = positionName({ field })
        return position === null || typeof row[name] === 'string' ? [] : [[name, position] as const]
      })
      return positions.length === 0 ? row : { ...row, ...Object.fromEntries(positions) }
    }
  }
}

/** Returns the text of a result, which may be read as bytes. */
export const resultText = (read: unknown): string =>
  read instanceof Uint8Array ? bufferOf(read).toString() : String(read)

/** Returns its bytes, each as a character. JSON stays JSON, because all its syntax is ASCII. */
export const resultBytes = (read: unknown): string =>
  read instanceof Uint8Array ? bufferOf(read).toString('latin1') : String(read)

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
