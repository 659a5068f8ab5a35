// Which values a tag guards: alone, because who asks that looks for a version.
import { DeclarationError } from '../errors/errors.ts'
import { placeOf } from './fields.ts'
import type { Collection, StoredField } from './model.ts'

/**
 * Returns the field flagged `version` and the fields whose values make an item's version (docs/http.md: Conditional
 * requests). Throws a DeclarationError for a flagged field that cannot be a version. With `denying`, a version that is
 * not readable is no error: the caller then gets versions made of the readable fields.
 */
export function compileVersion (
  collection: string, stored: readonly StoredField[], denying: boolean
): Pick<Collection, 'version' | 'versionFields'> {
  const [version, other] = stored.filter(field => field.schema.version === true)
  if (version === undefined) return { version, versionFields: stored.filter(field => field.readable) }
  const fail = (reason: string) => {
    throw new DeclarationError(`${placeOf(collection, version.property)}: is flagged 'version', ${reason}`)
  }
  if (other !== undefined) fail(`and so is '${other.property}'`)
  if (version.type.kind !== 'integer') fail('but is not an integer')
  if (version.nullable) fail('but may be null')
  if (denying && !version.readable) return { version, versionFields: stored.filter(field => field.readable) }
  if (!version.readable) fail("but not 'readable'; the ETags of items would reveal its value")
  if (version.writable) fail("but also 'writable'")
  // An item that is created again under the key of a deleted one has its first version again: its values differ.
  return { version, versionFields: [version, ...stored.filter(field => field.readable && field !== version)] }
}
