import type { RelationField } from '../../../core/model/model.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import { generateBatch } from './batches.ts'
import {
  generateAmendment, generateCreate, generateElement, generatePatch, generateUpdate, generateValue, mergePatchType,
  someAsPatch
} from './bodies.ts'
import type { ValueGenerator, Weighted } from '../world/generator.ts'
import { generateGroups } from './groups.ts'
import { importInto } from './imports.ts'
import { generateMany } from './many.ts'
import { generateFields, generateQuery } from './queries.ts'
import {
  type ApiModel, encodeText, generateCollection, generateItem, generateResource, generateScalar, keySegment,
  relationsOf, type WorldResource
} from './resources.ts'
import { type AnswerReceived, overriding, type SentRequest } from '../serving/send.ts'
import { oddJson } from '../world/values.ts'

/** The state of a client: what the answers so far contained. */
interface ClientState {
  /** Entity tags by URL. */
  readonly tags: Map<string, string>
  /** Links to other pages, and locations of new items. */
  readonly links: string[]
  /** Bodies of items by path. */
  readonly bodies: Map<string, string>
  /** The writes that had a key. */
  readonly keyed: SentRequest[]
}

export const makeClientState = (): ClientState => ({ tags: new Map(), links: [], bodies: new Map(), keyed: [] })

/** Returns a request. In most cases it is valid for the current rows. */
export function generateRequest (generator: ValueGenerator, api: ApiModel, client: ClientState): SentRequest {
  const choices: Weighted<() => SentRequest> = [
    [50, () => generateRead(generator, api)],
    [10, () => generateFollow(generator, api, client)],
    [5, () => generateConditional(generator, api, client)],
    [12, () => generator.chance(12) ? importInto(generator, api) : generateCreation(generator, api)],
    [14, () => generateChange(generator, api, client)],
    [5, () => generateScalarWrite(generator, api)],
    [4, () => generateDeletion(generator, api, client)],
    [3, () => generateSendBack(generator, api, client)],
    [4, () => generateLinking(generator, api) ?? generateRead(generator, api)],
    [2, () => generateMany(generator, api)],
    [2, () => generator.from(client.keyed) ?? generateRead(generator, api)]
  ]
  const sent = generator.weighted(...choices)()
  // Sources may read a cursor that was changed by hand in different ways.
  if (generator.chance(6) && !/(after|before)=/.test(sent.url)) return spoil(generator, sent)
  const isBatch = generator.chance(8)
  const asked = isBatch ? generateBatch(generator, api, () => generateWrite(generator, api, client)) : sent
  return someAsPatch(generator.chance(15) ? withKey(generator, asked) : asked)
}

/** Returns a write. In most cases it is valid for the current rows. */
function generateWrite (generator: ValueGenerator, api: ApiModel, client: ClientState): SentRequest {
  const choices: Weighted<() => SentRequest> = [
    [12, () => generateCreation(generator, api)],
    [14, () => generateChange(generator, api, client)],
    [5, () => generateScalarWrite(generator, api)],
    [4, () => generateDeletion(generator, api, client)],
    [3, () => generateLinking(generator, api) ?? generateCreation(generator, api)],
    [2, () => generateMany(generator, api)]
  ]
  return someAsPatch(generator.weighted(...choices)())
}

/** Adds the tag, the body and the links of an answer to the client's state. */
export function recordAnswer (client: ClientState, sent: SentRequest, { status, headers, body }: AnswerReceived): void {
  const { method, url } = sent
  const { etag, link, location } = headers
  if (sent.headers['idempotency-key'] !== undefined) client.keyed.push(sent)
  if (method === 'GET' && status === 200 && typeof etag === 'string') client.tags.set(url, etag)
  if (method === 'GET' && status === 200 && !url.includes('?') && body.startsWith('{')) client.bodies.set(url, body)
  if (typeof link === 'string') {
    client.links.push(...[...link.matchAll(/<([^>]*)>/g)].map(([, target = '']) => pathOf(target)))
  }
  if (typeof location === 'string') client.links.push(pathOf(location))
  for (const [, target = ''] of body.matchAll(/"(?:next|prev|first)":"(\/[^"]*)"/g)) client.links.push(target)
}

function pathOf (target: string): string {
  const { pathname, search } = new URL(target, 'http://localhost')
  return pathname + search
}

const json = { 'content-type': 'application/json' }

function generateRead (generator: ValueGenerator, api: ApiModel): SentRequest {
  const resource = generateResource(generator, api)
  const query = queryOf(generator, resource)
  const isMany = resource.kind === 'collection' || generator.chance(3)
  const rare = isMany ? 1 : 0
  const method = generator.weighted([18, 'GET'], [1, 'HEAD'], [1, 'OPTIONS'], [rare, 'QUERY'], [rare, 'POST'])
  const headers = {
    ...generateAccept(generator, isMany),
    ...generator.chance(15) && { prefer: generator.of(['count=exact', 'count=exact, return=minimal', 'count=none']) }
  }
  if (method === 'POST') return { method, url: resource.path, headers: { ...headers, ...overriding }, body: query }
  if (method === 'QUERY') {
    return {
      method,
      url: resource.path,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: query
    }
  }
  return { method, url: query === '' ? resource.path : `${resource.path}?${query}`, headers }
}

function queryOf (generator: ValueGenerator, resource: WorldResource): string {
  switch (resource.kind) {
    case 'collection':
    case 'dictionary':
      if (generator.chance(resource.kind === 'dictionary' ? 25 : 12)) {
        return generateGroups(generator, resource.collection, resource.kind === 'dictionary')
      }
      return generator.chance(88) ? generateQuery(generator, resource.collection) : ''
    case 'item': return generator.chance(45)
      ? generateFields(generator, resource.collection)
      : generator.chance(4) ? generateQuery(generator, resource.collection) : ''
    default: return generator.chance(4) ? 'fields=x' : ''
  }
}

function generateAccept (generator: ValueGenerator, isMany: boolean): Record<string, string> {
  if (generator.chance(isMany ? 75 : 92)) return {}
  const accept = generator.weighted(
    [isMany ? 4 : 0, 'application/x-ndjson'],
    [isMany ? 4 : 0, 'text/csv'],
    [1, 'application/problem+json'],
    [1, 'text/html'],
    [1, '*/*'],
    [1, 'text/csv;q=0.5, application/x-ndjson'],
    [1, 'application/json;q=0']
  )
  return { accept }
}

function generateFollow (generator: ValueGenerator, api: ApiModel, { links }: ClientState): SentRequest {
  const url = generator.from(links)
  return url === undefined
    ? generateRead(generator, api)
    : { method: 'GET', url, headers: generateAccept(generator, true) }
}

function generateConditional (generator: ValueGenerator, api: ApiModel, { tags }: ClientState): SentRequest {
  const [url, tag] = generator.from([...tags]) ?? []
  if (url === undefined || tag === undefined) return generateRead(generator, api)
  return {
    method: generator.of(['GET', 'HEAD']),
    url,
    headers: {
      'if-none-match': generator.weighted([4, tag], [1, `W/${tag}`], [1, `"x", ${tag}`], [1, '*'], [1, '"x"'])
    }
  }
}

function generateCreation (generator: ValueGenerator, api: ApiModel): SentRequest {
  const { path, collection } = generateCollection(generator, api, 2)
  const one = () => generateCreate(generator, collection, 2)
  const body = generator.chance(15) ? `[${Array.from({ length: generator.below(4) }, one).join(',')}]` : one()
  return {
    method: 'POST',
    url: path + representation(generator),
    headers: { ...json, ...generatePrefer(generator) },
    body
  }
}

const representation = (generator: ValueGenerator) => generator.chance(4) ? '?fields=id' : ''

const generatePrefer = (generator: ValueGenerator): Record<string, string> => generator.chance(80)
  ? {}
  : { prefer: generator.of(['return=representation', 'return=minimal', 'dry-run', 'dry-run, return=representation']) }

function generateChange (generator: ValueGenerator, api: ApiModel, client: ClientState): SentRequest {
  const { path, collection } = generateItem(generator, api, 2)
  return {
    method: generator.of(['PUT', 'PATCH']),
    url: path + representation(generator),
    headers: { ...json, ...generatePrefer(generator), ...generateCondition(generator, path, client) },
    body: generator.chance(15) ? generateCreate(generator, collection, 2) : generateUpdate(generator, collection, 2)
  }
}

function generateCondition (generator: ValueGenerator, path: string, { tags }: ClientState): Record<string, string> {
  const right = tags.get(path)
  if (right !== undefined && generator.chance(40)) return { 'if-match': right }
  if (generator.chance(85)) return {}
  return generator.of<Record<string, string>>([
    { 'if-match': '*' },
    { 'if-match': '"x"' },
    { 'if-none-match': '*' },
    { 'if-match': 'x' },
    { 'if-match': `"x", W/${right ?? '*'}` },
    { 'if-match': [...tags.values()].at(-1) ?? '*' }
  ])
}

function generateScalarWrite (generator: ValueGenerator, api: ApiModel): SentRequest {
  const { path: url, collection, field } = generateScalar(generator, api, true)
  const headers = { ...json, ...generatePrefer(generator) }
  const change = field && generator.chance(40) ? generateAmendment(generator, field, collection) : undefined
  if (change !== undefined) return { method: 'POST', url, headers, body: change }
  const patch = field && generatePatch(generator, field, collection)
  if (patch !== undefined && generator.chance(50)) {
    return { method: 'PATCH', url, headers: { ...headers, 'content-type': mergePatchType }, body: patch }
  }
  const body = field === undefined ? generator.of(oddJson) : generateValue(generator, field, collection)
  return { method: 'PUT', url, headers, body }
}

function generateDeletion (generator: ValueGenerator, api: ApiModel, client: ClientState): SentRequest {
  const { path } = generateItem(generator, api, 2)
  return {
    method: 'DELETE',
    url: path,
    headers: { ...generatePrefer(generator), ...generateCondition(generator, path, client) }
  }
}

/** Returns a write of a body that a GET answered: that of the same item, or of any item. */
function generateSendBack (generator: ValueGenerator, api: ApiModel, { bodies }: ClientState): SentRequest {
  const [url, body] = generator.from([...bodies]) ?? []
  if (url === undefined || body === undefined) return generateChange(generator, api, makeClientState())
  return {
    method: generator.of(['PUT', 'PATCH']),
    url,
    headers: json,
    body: generator.chance(50) ? body : generator.from([...bodies.values()]) ?? body
  }
}

const oddEndings: readonly string[] = [
  '/', '//', '/x', '/id', '?', '?x=1', '&&', '&id=1', '&sort=', '&fields=', '%', '%ZZ', '%00', '%ED%A0%80', '%C0%80',
  '%2F', '&where=(', '&where=a"', '&page=1&page=1'
]

const oddInsertions: readonly string[] = [
  '', '%22', '(', ')', ',', '!', '=', '~', '%00', '9', '%E2%82', '.', '-', '%F0%9F%98%80'
]

/** Returns the request with a fault: in its URL, its method, its content type or its body. */
function spoil (generator: ValueGenerator, sent: SentRequest): SentRequest {
  const { method, url, headers, body } = sent
  const at = url.indexOf('/') + 1 + generator.below(url.length)
  return generator.of<() => SentRequest>([
    () => ({
      ...sent,
      url: `${url}${generator.of(oddEndings)}`
    }),
    () => ({
      ...sent,
      url: `${url.slice(0, at)}${generator.of(oddInsertions)}${url.slice(at + generator.below(2))}`
    }),
    () => ({ ...sent, method: generator.of(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS']) }),
    () => ({
      method,
      url,
      headers: {
        ...headers,
        'content-type': generator.of([
          'text/plain', 'application/json; charset=latin1', mergePatchType,
          'application/x-www-form-urlencoded'
        ])
      },
      body: body ?? '{}'
    }),
    () => ({
      method,
      url,
      headers: { ...headers, ...json },
      body: (body ?? '{}').slice(0, generator.below((body ?? '{}').length + 1))
    }),
    () => ({ method, url, headers: { ...headers, ...json }, body: generator.of(oddJson) })
  ])()
}

/**
 * Returns a request that makes or unmakes links at the URL of a sub-collection: a POST of elements, a PUT of the whole
 * list, or a DELETE of an element; undefined if the item has no sub-collection.
 */
function generateLinking (generator: ValueGenerator, api: ApiModel): SentRequest | undefined {
  const { path, collection, row } = generateItem(generator, api, 1)
  const relations = relationsOf(collection, 'sub-collection')
  const writable = relations.filter(one => one.writable)
  const field = generator.from(writable.length > 0 && generator.chance(90) ? writable : relations)
  if (field === undefined) return undefined
  const url = `${path}/${encodeText(field.name)}`
  const method = generator.weighted([3, 'POST'], [3, 'PUT'], [3, 'DELETE'])
  if (method === 'DELETE') {
    return { method, url: `${url}/${elementOf(generator, field, row)}`, headers: {} }
  }
  const elements = Array.from({ length: generator.below(4) }, () => generateElement(generator, field.target, 1))
  const isOne = method === 'POST' && generator.chance(75)
  const body = isOne ? generateElement(generator, field.target, 1) : `[${elements.join(',')}]`
  return { method, url, headers: { 'content-type': 'application/json' }, body }
}

/** Returns the segment of an element of a relation, at times of another item. */
function elementOf (generator: ValueGenerator, field: RelationField, row: object | undefined): string {
  const related = row === undefined || generator.chance(15) ? [] : memoryView(field.holder).related(row, field)
  const element = generator.from(related) ?? generator.from(memoryView(field.target).rows()) ?? {}
  return keySegment(element, field.target)
}

/** Adds an `Idempotency-Key` to a request. There are few, so that different writes get the same one. */
function withKey (generator: ValueGenerator, sent: SentRequest): SentRequest {
  const key = generator.weighted([16, `k${generator.below(20)}`], [1, '"quoted"'], [1, 'with a space'])
  return { ...sent, headers: { ...sent.headers, 'idempotency-key': key } }
}
