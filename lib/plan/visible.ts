import type { Collection, Field } from '../model/model.ts'

/** The field of that name on the wire, if a client may know of it: the one gate for every place where a request can name a field. */
export function findReadable (collection: Collection, name: string): Field | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true ? field : undefined
}

/** The same for a request that writes: fields that may be written but not read have names too. */
export function findExposed (collection: Collection, name: string): Field | undefined {
  const field = collection.fields.get(name)
  return field?.readable === true || field?.writable === true ? field : undefined
}

/** The names that a client may know of, in the order declared. */
export function readableNames (collection: Collection): readonly string[] {
  return [...collection.fields.values()].filter(field => field.readable).map(field => field.name)
}
