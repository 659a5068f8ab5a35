import { memoizeRecent } from '../memoize.ts'
import { words } from '../model/names.ts'
import { mostNames } from './naming.ts'

/**
 * Returns true for the name of a column whose values are probably secret: `password_hash`, `apiKey`, `SALT`. Whole
 * words count, so that a `secretary` is shown.
 */
export const looksSecret = memoizeRecent(isSecretName, mostNames)

function isSecretName (name: string): boolean {
  if (/^pass$/i.test(name)) return true
  const parts = words(name.replaceAll(/[^\p{L}\p{N}]+/gu, '_'))
  if (parts.some(part => secretWords.has(part) || secretWords.has(part.replace(/s$/, '')))) return true
  return parts.some((part, index) => secretPairs.has(`${part} ${parts[index + 1]?.replace(/s$/, '') ?? ''}`))
}

const secretWords: ReadonlySet<string> = new Set([
  'password', 'passwd', 'pwd', 'passphrase', 'passcode', 'secret', 'token', 'salt', 'hash', 'digest', 'otp', 'totp',
  'credential', 'cvv', 'cvc', 'ssn', 'pin', 'apikey', 'apitoken', 'apisecret', 'accesstoken', 'accesskey',
  'authtoken', 'authkey', 'refreshtoken', 'sessiontoken', 'resettoken', 'privatekey', 'secretkey', 'clientsecret',
  'passwordhash', 'passwordsalt', 'passwordtoken', 'userpassword', 'hashedpassword', 'encryptedpassword', 'passhash',
  'pwdhash', 'pwhash'
])

const secretPairs: ReadonlySet<string> = new Set([
  'api key', 'private key', 'secret key', 'access key', 'auth key', 'encryption key', 'signing key', 'master key',
  'session key', 'license key', 'card number', 'security code', 'recovery code', 'backup code', 'reset code',
  'auth code', 'verification code', 'session id', 'user pass', 'db pass', 'login pass', 'mail pass', 'smtp pass',
  'social security', 'bank account', 'security answer'
])
