import { generateImport } from '../requests/imports.ts'
import { encodeText } from '../requests/resources.ts'
import type { View } from './sight.ts'
import { ownCode, type Way } from './way.ts'
import type { ServedApi } from './world.ts'

/** Returns the ways by imports. They take no key, and are no operations of a batch or of an agent. */
export function importWays (
  { prefix, api: { options: { imports } } }: ServedApi, views: readonly View[]
): readonly Way[] {
  const isTaken = ({ collection: { strategies, fields } }: View) =>
    strategies.import && strategies.create && [...fields.values()].some(field => field.writable)
  return imports === undefined
    ? []
    : views.filter(isTaken).map(({ collection }) => ({
      name: `${collection.name} imported`,
      weight: ownCode,
      make: generator => generateImport(generator, collection, `${prefix}/${encodeText(collection.name)}`)
    }))
}
