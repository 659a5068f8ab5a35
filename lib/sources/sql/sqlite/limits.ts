import { sql } from '../load-kysely.ts'
import type { Dialect, Sql } from '../statements/dialect.ts'
import type { JsonLength } from '../statements/json-length.ts'

// The SQL that ends a statement which takes too long, or whose answer becomes too long. It calls functions of the
// connection (clock.ts), each for one of many rows: a call takes more time than a row.

/** The name of the SQL function that throws in a statement that takes too long. */
export const clockFunction = 'data_api_clock'

/** The name of the SQL function that is told characters of an answer. It throws if they become too many. */
export const lengthFunction = 'data_api_length'

/** The name of the SQL function that is told the length of an item of a list, until it is told that of the list. */
export const itemFunction = 'data_api_item_length'

/** The name of the SQL function that is told the length of a list, in characters and in bytes. */
export const listFunction = 'data_api_list_length'

/** The names of all these functions. */
export const limitFunctions: readonly string[] = [clockFunction, lengthFunction, itemFunction, listFunction]

/**
 * random() takes half the time of a plain row, and the number of the row a fourth. The numbers of rows may have a
 * common factor, so the divisor is a prime. A loop over fewer rows may end without a call, so a loop that is repeated
 * needs random().
 */
export const clocked: Dialect['clocked'] = (conditions, numbered) => {
  const isSkipped = numbered === undefined ? seldom() : sql`${sql.id(numbered, '_rowid_')} % 127`
  return sql`(${isSkipped} or ${sql.id(clockFunction)}()) and ${conditions}`
}

export const seldom = () => sql`random() & 63`

export const sized: Dialect['sized'] = (json, length, place) => {
  if (place === 'branch' || place === 'item') return sizedEach(json, length)
  const { known, texts } = length
  // The items of a page are too few for their known lengths to count; those of a list are in the list's length.
  if (texts.length === 0) return json
  const longest = sql.lit(Math.ceil((place === 'page' ? longItem : longList) / texts.length))
  const isLong = sql.join(texts.map(text => sql`${bytesOf(text)} >= ${longest}`), sql` or `)
  const call = sql`${sql.id(place === 'page' ? lengthFunction : itemFunction)}(${sum({ known, texts })})`
  return sql`case when (${isLong}) and ${call} is null then null else ${json} end`
}

/** The length of the texts of a page's item that are told. A page has at most some thousands of items. */
const longItem = 8192

/** The length in bytes of a list that is told. Of shorter ones, one of 64 is told and stands for all. */
export const longList = 4096

/** The length of any other item that is told. Of shorter ones, one of 64 is told and stands for all. */
const longOther = 1024

function sizedEach (json: Sql, length: JsonLength): Sql {
  const { known, texts } = length
  if (texts.length === 0) {
    return sql`case when ${seldom()} or ${sql.id(lengthFunction)}(${sql.lit(64 * known)}) then ${json} end`
  }
  const all = sum(length)
  const bytes = sql.join([sql.lit(known), ...texts.map(text => sql`ifnull(${bytesOf(text)}, 0)`)], sql` + `)
  const isShort = sql`${bytes} < ${sql.lit(longOther)}`
  const told = sql`(${all}) * case when ${isShort} then 64 else 1 end`
  return sql`case when (${isShort} and ${seldom()}) or ${sql.id(lengthFunction)}(${told}) then ${json} end`
}

const sum = ({ known, texts }: JsonLength) =>
  sql.join([sql.lit(known), ...texts.map(charactersOf)], sql` + `)

/** Returns the length of a text in bytes, which takes less time than its characters (octet_length() since 3.43). */
const bytesOf = (text: Sql) => sql`length(cast(${text} as blob))`

/** Returns the length of a text in characters. Those from a NUL on are not counted: a character has at most 4 bytes. */
const charactersOf = (text: Sql) => sql`ifnull(max(length(${text}), ${bytesOf(text)} / 4), 0)`

export const sizedList: Dialect['sizedList'] = array => {
  // SQLite computes the array once.
  const bytes = bytesOf(array)
  const isTold = sql`${sql.id(listFunction)}(length(${array}), ${bytes})`
  return sql`case when (${bytes} < ${sql.lit(longList)} and ${seldom()}) or ${isTold} then ${array} end`
}
