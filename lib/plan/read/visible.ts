import type { Collection, Field, ReadableField } from '../../model/model.ts'

/**
 * Returns the field of that name on the wire if a client may read it, else undefined. Every name in a request that
 * reads must pass through this function, so that an unreadable field is the same as an unknown one.
 */
export function findReadable (collection: Collection, name: string): ReadableField | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true ? field : undefined
}

/** Returns the field of that name on the wire if a client may read or write it, else undefined. For writes. */
export function findExposed (collection: Collection, name: string): Field | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true || field?.writable === true ? field : undefined
}

/** Returns the names of the readable fields, in the order declared. */
export function readableNames (collection: Collection): readonly string[] {
  return [...collection.fields.values()].filter(field => field.readable).map(field => field.name)
}
