import { memoizeRecent } from '../../scheduling/memoize.ts'
import { words } from '../../model/names.ts'
import { mostNames } from './naming.ts'

/**
 * Returns true for the name of a column whose values are probably secret: `password_hash`, `apiKey2`, `dbpassword`,
 * `SALT`. Digits do not count, and a `secretary` is shown.
 */
export const looksSecret = memoizeRecent(isSecretName, mostNames)

/** Secret wherever they stand: `lastpasswordchange`. A space is optional in all these lists. */
export const secretParts: readonly string[] = [
  'pass word', 'passwd', 'pass phrase', 'credential', 'passwort', 'kennwort', 'contraseña', 'contrasena', 'senha',
  'mot de passe'
]

/** Secret as a word, and at the end of one: `webhooksecret`. */
export const secretEndings: readonly string[] = [
  'pwd', 'pass code', 'pass key', 'secret', 'token', 'hash', 'digest', 'otp', 'jwt', 'cvv', 'pin code',
  'api key', 'private key', 'access key', 'auth key', 'encryption key', 'signing key', 'master key', 'session key',
  'license key', 'ssh key', 'pgp key', 'gpg key', 'tls key', 'ssl key', 'rsa key', 'aes key', 'hmac key',
  'consumer key', 'card number', 'security code', 'recovery code', 'backup code', 'reset code', 'auth code',
  'verification code', 'session id', 'social security', 'bank account', 'security answer', 'seed phrase',
  'user pass', 'db pass', 'login pass', 'mail pass', 'smtp pass', 'ftp pass', 'admin pass', 'root pass'
]

/** Secret as whole words: `pin`, but not `spin`. */
export const secretWords: readonly string[] = ['salt', 'pin', 'ssn', 'cvc', 'pw', 'mdp', 'mnemonic']

const either = (names: readonly string[]) => `(?:${names.join('|').replaceAll(' ', ' ?')})`

const isSecret = new RegExp([
  either(secretParts), `${either(secretEndings)}(?:e?s)? `, ` ${either(secretWords)}(?:e?s)? `, 'pass $'
].join('|'), 'u')

// Words that end like a secret, and are none.
const innocent = /hash ?tags?|(?:com|by|tres|sur|over|under|boarding|ski|season|day|bus|low|high|band|first) ?pass/g

function isSecretName (name: string): boolean {
  const letters = name.replaceAll(/[^\p{L}]+/gu, '_')
  return isSecret.test(` ${words(letters).join(' ')} `.replaceAll(innocent, ''))
}
