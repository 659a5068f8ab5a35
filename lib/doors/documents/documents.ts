import type { DocumentOptions } from '../../../schemas/openapi.ts'
import type { CollectionView, Face, ResourceView, Sight } from '../../core/api/face.ts'
import { RecentMap } from '../../core/scheduling/memoize.ts'
import { type Described, documentParts } from './document.ts'
import type { Document } from './objects.ts'
import { jsonParts, runAtOnce, runInSlices } from './parts.ts'

/** The documents of one registration. */
export interface Documents {
  whole (options?: DocumentOptions): Document
  /** Returns the text of the document of what a caller sees. Requests are answered while it is made. */
  text (sight: Sight, options: DocumentOptions): Promise<string>
}

/**
 * Prepares the documents of a registration. None is made before it is asked for. `root`: the path of the API. `more`:
 * what the application tells of its servers. `mostBytes`: the size of all texts that are kept; that of 600 collections
 * has 5 MB, one of 20 has 0.4 MB.
 */
export function makeDocuments (
  face: Face, root: string, more: Described['more'], mostBytes = 32 * 2 ** 20
): Documents {
  const described: Described = { face, root, more }
  const texts = new RecentMap<string>(mostBytes, mostBytes)
  const unfinished = new Map<string, Promise<string>>()
  const identityOf = identities()
  return {
    whole: options => runAtOnce(documentParts(described, face.anyone, options)),
    async text (sight, options) {
      const seen = new Map(sight.collections.map(one => [one.name, one]))
      const keys = face.collections.map(one => keyOf(seen.get(one.name) ?? one, sight))
      const key = JSON.stringify([options, keys])
      const known = texts.get(key) ?? unfinished.get(key)
      if (known !== undefined) return known
      const made = make(key, sight, options).finally(() => { unfinished.delete(key) })
      unfinished.set(key, made)
      return made
    }
  }

  async function make (key: string, sight: Sight, options: DocumentOptions): Promise<string> {
    const text = await runInSlices(jsonParts(documentParts(described, sight, options)))
    texts.set(key, text, key.length + Buffer.byteLength(text))
    return text
  }

  /** The key of a document: what the caller sees of the collection, what is known of its table, and the permissions. */
  function keyOf (collection: CollectionView, sight: Sight): unknown {
    const known = [collection, collection.known].map(identityOf)
    const list = sight.at({ kind: 'collection', collection })
    const item = sight.at({ kind: 'item', collection })
    return [...known, list.denial('POST') === undefined, allowedAt(list), allowedAt(item)]
  }
}

/** Returns the methods that the caller may use, each with true if it may use it on some items only. */
const allowedAt = (place: ResourceView) => place.methods.map(method => [method, place.dependsOnItem(method)])

/** Returns a function that numbers objects. Equal numbers mean the same object. */
function identities (): (object: object) => number {
  const numbers = new WeakMap<object, number>()
  let last = 0
  return object => {
    const number = numbers.get(object) ?? ++last
    numbers.set(object, number)
    return number
  }
}
