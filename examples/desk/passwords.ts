import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** Returns a salted hash of a password, as text. */
export async function hashPassword (password: string): Promise<string> {
  const salt = randomBytes(16)
  return `${salt.toString('base64')} ${(await derive(password, salt, 64)).toString('base64')}`
}

// Somebody who does not exist takes as long as somebody with another password.
const nobody = `${'A'.repeat(22)}== ${'A'.repeat(86)}==`

/** Returns true if the text is a hash of the password. */
export async function isPassword (password: string, hash: string = nobody): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(' ').map(part => Buffer.from(part, 'base64'))
  const [derived, stored] = [await derive(password, Buffer.from(salt), 64), Buffer.from(key)]
  return derived.length === stored.length && timingSafeEqual(derived, stored)
}
