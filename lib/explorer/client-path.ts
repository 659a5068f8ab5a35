import type { Collection, Model } from '../model/model.ts'
import type { Request } from '../request/parse.ts'
import { print } from './client-print.ts'

/** Where a path has led to, and the functions of the client that lead there. */
interface Reached {
  readonly kind: 'root' | 'collection' | 'dictionary' | 'groups' | 'item'
  readonly collection: Collection | undefined
  readonly call: string
}

/** Returns the functions of the client that lead to a resource; undefined for a path that no client can send. */
export function callOf (
  { segments, parts }: Pick<Request, 'segments' | 'parts'>, dictionaryPrefix: string, model: Model
): string | undefined {
  let reached: Reached = { kind: 'root', collection: undefined, call: 'client' }
  for (const [index, segment] of segments.entries()) {
    // URLs drop these segments.
    if (/^\.{0,2}$/.test(segment)) return undefined
    reached = step(reached, segment, parts[index] ?? [segment], { dictionaryPrefix, model })
  }
  return reached.call
}

function step (
  { kind, collection, call }: Reached, segment: string, parts: readonly unknown[],
  { dictionaryPrefix, model }: { readonly dictionaryPrefix: string, readonly model: Model }
): Reached {
  const named = `${call}.resource(${print(segment)})`
  if (kind === 'root') return { kind: 'collection', collection: model.collections.get(segment), call: named }
  if (kind === 'item') {
    const field = collection?.fields.get(segment)
    const target = field !== undefined && 'target' in field ? field.target : undefined
    return { kind: field?.kind === 'sub-item' ? 'item' : 'collection', collection: target, call: named }
  }
  const by = segment.startsWith(dictionaryPrefix) ? segment.slice(dictionaryPrefix.length) : undefined
  const field = kind === 'collection' && by !== undefined ? collection?.fields.get(by) : undefined
  if (field !== undefined) {
    const isUnique = field.kind === 'stored' && field.identifier
    return { kind: isUnique ? 'dictionary' : 'groups', collection, call: named }
  }
  if (kind === 'groups') return { kind: 'collection', collection, call: named }
  return { kind: 'item', collection, call: `${call}.item(${print(parts.length > 1 ? parts.map(String) : segment)})` }
}
