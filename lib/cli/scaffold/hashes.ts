import { quoteName } from '../../sources/sql/table-name.ts'
import type { Column } from './tables.ts'

/** The rows whose values are looked at for hashes of passwords. */
const rowsSeen = 200

/** What reads the beginnings of the texts of a table, and the columns in its order. */
export interface BeginningsQuery { readonly text: string, readonly columns: readonly string[] }

/** Returns the query for the beginnings of the first texts in columns. `from`: the table, quoted. */
export function beginningsQuery (from: string, columns: ReadonlyArray<Pick<Column, 'name'>>): BeginningsQuery {
  const texts = columns.map(({ name }, index) => `substr(cast(${quoteName(name)} as text), 1, 40) as c${index}`)
  return { text: `select ${texts.join(', ')} from ${from} limit ${rowsSeen}`, columns: columns.map(({ name }) => name) }
}

/** Returns the columns that hold the hash of a password in one of the rows of the query. */
export const columnsOfHashes = (
  { columns }: BeginningsQuery, rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): ReadonlySet<string> =>
  new Set(columns.filter((_, index) => rows.some(row => isPasswordHash(String(row[`c${index}`])))))

/**
 * Returns true for a text that begins like the hash of a password: of crypt(3), as in `$2b$` and `$argon2id$`, of
 * WordPress, Drupal, Django, Werkzeug, LDAP and PostgreSQL.
 */
export const isPasswordHash = (text: string): boolean => ofCrypt.test(text) || ofOthers.test(text)

const ofCrypt = /^\$(?:[1567yPHS]|2[abxy]?|sha1|md5|scrypt|bcrypt[\w-]*|argon2\w*|pbkdf2[\w-]*)\$/
const ofOthers = /^(?:(?:pbkdf2|scrypt|bcrypt|argon2|sha1|md5)[\w:-]*\$|\{S?SHA\d*\}|SCRAM-SHA-\d+\$)/
