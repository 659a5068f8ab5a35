import crypto from 'node:crypto'
import { isObject } from '../../core/errors/is-object.ts'

/** An operation of a JSON Patch (RFC 6902). */
export type DiffOperation =
  | { readonly op: 'add' | 'replace', readonly path: string, readonly value: unknown }
  | { readonly op: 'remove', readonly path: string }

/** A document without its values: the digest of each element or member, by which a later state is compared with it. */
export type DocumentDigest =
  | { readonly kind: 'value', readonly digest: string }
  | { readonly kind: 'array', readonly digests: readonly string[] }
  | { readonly kind: 'object', readonly members: ReadonlyMap<string, DocumentDigest> }

/** Returns the shape of a document. `wrapped`: true for a page around its items, which are compared one by one. */
export function documentDigest (document: unknown, wrapped: boolean): DocumentDigest {
  if (Array.isArray(document)) return { kind: 'array', digests: document.map(digestOf) }
  if (!isObject(document)) return { kind: 'value', digest: digestOf(document) }
  const members = Object.entries(document).map(([name, value]) =>
    [name, wrapped && name === 'items' ? documentDigest(value, false) : valueShape(value)] as const)
  return { kind: 'object', members: new Map(members) }
}

const valueShape = (value: unknown): DocumentDigest => ({ kind: 'value', digest: digestOf(value) })

const digestOf = (value: unknown) => crypto.hash('sha1', JSON.stringify(value), 'base64url').slice(0, 16)

/** Returns the operations that make the document of the shape `after` of one of the shape `before`. */
export function diff (
  before: DocumentDigest, after: DocumentDigest, document: unknown, path = ''
): readonly DiffOperation[] {
  if (before.kind === 'array' && after.kind === 'array') {
    return diffArrays(before.digests, after.digests, document as readonly unknown[], path)
  }
  if (before.kind === 'object' && after.kind === 'object') {
    return diffMembers(before.members, after.members, document as Readonly<Record<string, unknown>>, path)
  }
  const isSame = before.kind === 'value' && after.kind === 'value' && before.digest === after.digest
  return isSame ? [] : [{ op: 'replace', path, value: document }]
}

function diffMembers (
  before: ReadonlyMap<string, DocumentDigest>,
  after: ReadonlyMap<string, DocumentDigest>,
  document: Readonly<Record<string, unknown>>,
  path: string
): readonly DiffOperation[] {
  const pathOf = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const removed = [...before.keys()].filter(name => !after.has(name))
  const changed = [...after].flatMap(([name, shape]): readonly DiffOperation[] => {
    const old = before.get(name)
    const value = document[name]
    return old === undefined ? [{ op: 'add', path: pathOf(name), value }] : diff(old, shape, value, pathOf(name))
  })
  return [...removed.map(name => ({ op: 'remove', path: pathOf(name) } as const)), ...changed]
}

function diffArrays (
  before: readonly string[], after: readonly string[], elements: readonly unknown[], path: string
): readonly DiffOperation[] {
  const operations: DiffOperation[] = []
  let old = 0
  let place = 0
  const end: Pair = [after.length, before.length]
  for (const [nextPlace, nextOld] of [...longestRising(pairsOf(before, after)), end]) {
    for (; place < nextPlace; place++) {
      const op = old < nextOld ? 'replace' : 'add'
      operations.push({ op, path: `${path}/${place}`, value: elements[place] })
      if (op === 'replace') old++
    }
    for (; old < nextOld; old++) operations.push({ op: 'remove', path: `${path}/${place}` })
    place = nextPlace + 1
    old = nextOld + 1
  }
  return operations
}

/** The place of an element, and its place before. */
type Pair = readonly [place: number, old: number]

/** Finds the elements that were there before. Of equal ones, the first is paired with the first. */
function pairsOf (before: readonly string[], after: readonly string[]): readonly Pair[] {
  const places = new Map<string, number[]>()
  for (const [old, digest] of before.entries()) places.set(digest, [...places.get(digest) ?? [], old])
  return after.flatMap((digest, place): Pair[] => {
    const old = places.get(digest)?.shift()
    return old === undefined ? [] : [[place, old]]
  })
}

interface Link { readonly pair: Pair, readonly previous: Link | undefined }

/** Returns the longest part of the pairs whose old places rise: these elements stay, and all others move. */
function longestRising (pairs: readonly Pair[]): readonly Pair[] {
  // The chain of each length that ends lowest (Schensted, 1961).
  const chains: Link[] = []
  for (const pair of pairs) {
    let [low, high] = [0, chains.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((chains[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1
      else high = middle
    }
    chains[low] = { pair, previous: chains[low - 1] }
  }
  const rising: Pair[] = []
  for (let link = chains.at(-1); link !== undefined; link = link.previous) rising.push(link.pair)
  return rising.reverse()
}
