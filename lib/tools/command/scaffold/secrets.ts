import { words } from '../../../core/model/names.ts'
import { memoizeRecent } from '../../../core/scheduling/memoize.ts'
import { quoteName } from '../../../core/sources/sql/tables.ts'
import { mostNames } from './naming.ts'
import type { SeenColumn } from './tables.ts'

/**
 * Returns true for the name of a column whose values are probably secret: `password_hash`, `apiKey2`, `dbpassword`,
 * `SALT`. Digits do not count, and a `secretary` is shown, as is what says something of a secret: `token_type`.
 */
export const looksSecret = memoizeRecent(isSecretName, mostNames)

/** Returns true for a column that is secret because of its table, such as `key` of `api_keys`. */
export const isSecretOf = (table: string, column: string): boolean =>
  secretColumns.has(wordsOf(column).trim()) && isSecretTable(table)

const secretColumns: ReadonlySet<string> = new Set(['key', 'value', 'code'])

const isSecretTable = memoizeRecent(name => /(?:api ?key|token|secret|credential)s? /.test(wordsOf(name)), mostNames)

/** Secret wherever they stand: `lastpasswordchange`. A space is optional in all these lists. */
export const secretParts: readonly string[] = [
  'pass word', 'passwd', 'pass phrase', 'credential', 'passwort', 'kennwort', 'contraseña', 'contrasena', 'senha',
  'mot de passe'
]

/** Secret as a word, and at the end of one: `webhooksecret`. */
export const secretEndings: readonly string[] = [
  'pwd', 'pass code', 'pass key', 'secret', 'token', 'hash', 'hashed', 'digest', 'otp', 'jwt', 'cvv', 'pin code',
  'api key', 'private key', 'access key', 'auth key', 'encryption key', 'signing key', 'master key', 'session key',
  'license key', 'ssh key', 'pgp key', 'gpg key', 'tls key', 'ssl key', 'rsa key', 'aes key', 'hmac key',
  'consumer key', 'card number', 'security code', 'recovery code', 'backup code', 'reset code', 'auth code',
  'verification code', 'access code', 'credit card', 'social security', 'bank account', 'security answer',
  'seed phrase',
  'user pass', 'db pass', 'login pass', 'mail pass', 'smtp pass', 'ftp pass', 'admin pass', 'root pass'
]

/** Secret as whole words: `pin`, but not `spin`. */
export const secretWords: readonly string[] = ['salt', 'pin', 'ssn', 'cvc', 'pw', 'mdp', 'mnemonic', 'iban']

const either = (names: readonly string[]) => `(?:${names.join('|').replaceAll(' ', ' ?')})`

const isSecret = new RegExp([
  either(secretParts), `${either(secretEndings)}(?:e?s)? `, ` ${either(secretWords)}(?:e?s)? `, 'pass $'
].join('|'), 'u')

// Words that end like a secret, and are none.
const innocent = /hash ?tags?|(?:com|by|tres|sur|over|under|boarding|ski|season|day|bus|low|high|band|first) ?pass/g

// `token_type`, `accessTokenExpiresAt`, `api_key_id`: what is said of a secret. The space is that before a word.
const isAbout = / (?:at|type|method|id|count) $/

function isSecretName (name: string): boolean {
  const text = wordsOf(name)
  return !isAbout.test(text) && isSecret.test(text.replaceAll(innocent, ''))
}

/** Returns the words of a name without digits, each between spaces. */
const wordsOf = (name: string) => ` ${words(name.replaceAll(/[^\p{L}]+/gu, '_')).join(' ')} `

/** The rows whose values are looked at for hashes of passwords. */
const rowsSeen = 200

/** What reads the beginnings of the texts of a table, and the columns in its order. */
export interface BeginningsQuery { readonly text: string, readonly columns: readonly string[] }

/** Returns the query for the beginnings of the first texts in columns. `from`: the table, quoted. */
export function beginningsQuery (from: string, columns: ReadonlyArray<Pick<SeenColumn, 'name'>>): BeginningsQuery {
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
