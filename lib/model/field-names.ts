import type { Declared } from '../declare/collection.ts'
import { withoutGet } from './fields.ts'
import { type Naming, toName } from './names.ts'

/** Returns the names on the wire of all fields that a client may read or write, in any of the collections. */
export function fieldNames (
  collections: Readonly<Record<string, Partial<Declared> | undefined>>, naming: Naming
): ReadonlySet<string> {
  return new Set(Object.values(collections).flatMap(declared => {
    // Compiling tells what is wrong with a declaration that lacks a part.
    const { schema, computed = {}, inputs = {} } = declared ?? {}
    const properties = Object.entries(schema?.properties ?? {})
    return [
      ...properties.filter(([, one]) => one.readable === true || one.writable === true).map(([name]) => name),
      ...Object.keys(computed).map(withoutGet),
      ...Object.keys(inputs)
    ].map(property => toName(naming, property))
  }))
}
