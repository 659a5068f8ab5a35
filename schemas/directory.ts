import { type Static, Type } from '@sinclair/typebox'

/** One entry of the directory, the answer at the API's root. */
export const directoryEntry = Type.Object({
  name: Type.String({ description: 'The name of the collection, which is the first segment of its path.' }),
  type: Type.Literal('collection')
})
export type DirectoryEntry = Static<typeof directoryEntry>
