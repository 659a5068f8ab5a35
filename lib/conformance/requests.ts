import type { Draw } from './draw.ts'
import { drawCreate, drawUpdate, drawValue } from './bodies.ts'
import { type Atlas, drawCollection, drawItem, drawPlace, drawScalar, type Place } from './places.ts'
import { drawFields, drawQuery } from './queries.ts'
import type { Answer, Sent } from './serve.ts'
import { oddJson } from './values.ts'

/** What a client has learnt from the answers so far. */
export interface Known {
  /** Paths of items, with their tags. */
  readonly tags: Map<string, string>
  /** Links to other pages, and places of new items. */
  readonly links: string[]
  /** Items as they were shown. */
  readonly shown: Map<string, string>
}

export const makeKnown = (): Known => ({ tags: new Map(), links: [], shown: new Map() })

/** Draws a request that means something for what there is, mostly. */
export function drawRequest (draw: Draw, atlas: Atlas, known: Known): Sent {
  const sent = draw.weighted<() => Sent>(
    [50, () => drawRead(draw, atlas)],
  [10, () => drawFollow(draw, atlas, known)],
  [5, () => drawConditional(draw, atlas, known)],
  [12, () => drawCreation(draw, atlas)],
  [14, () => drawChange(draw, atlas, known)],
  [5, () => drawScalarWrite(draw, atlas)],
  [4, () => drawDeletion(draw, atlas, known)],
  [3, () => drawSendBack(draw, atlas, known)]
  )()
  // What a position means that was made by hand is each source's own matter.
  return draw.chance(6) && !/(after|before)=/.test(sent.url) ? spoil(draw, sent) : sent
}

/** Remembers what the answer tells. */
export function learn (known: Known, { method, url }: Sent, { status, headers, body }: Answer): void {
  const { etag, link, location } = headers
  if (method === 'GET' && status === 200 && typeof etag === 'string') known.tags.set(url, etag)
  if (method === 'GET' && status === 200 && !url.includes('?') && body.startsWith('{')) known.shown.set(url, body)
  if (typeof link === 'string') known.links.push(...[...link.matchAll(/<([^>]*)>/g)].map(([, target = '']) => pathOf(target)))
  if (typeof location === 'string') known.links.push(pathOf(location))
  for (const [, target = ''] of body.matchAll(/"(?:next|prev|first)":"(\/[^"]*)"/g)) known.links.push(target)
}

function pathOf (target: string): string {
  const { pathname, search } = new URL(target, 'http://localhost')
  return pathname + search
}

const json = { 'content-type': 'application/json' }

function drawRead (draw: Draw, atlas: Atlas): Sent {
  const place = drawPlace(draw, atlas)
  const query = queryOf(draw, place)
  const isMany = place.kind === 'collection' || draw.chance(3)
  const method = draw.weighted([18, 'GET'], [1, 'HEAD'], [1, 'OPTIONS'], [isMany ? 2 : 0, 'QUERY'])
  const headers = { ...drawAccept(draw, isMany), ...draw.chance(15) && { prefer: draw.of(['count=exact', 'count=exact, return=minimal', 'count=none']) } }
  if (method === 'QUERY') return { method, url: place.path, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: query }
  return { method, url: query === '' ? place.path : `${place.path}?${query}`, headers }
}

function queryOf (draw: Draw, place: Place): string {
  switch (place.kind) {
    case 'collection':
    case 'dictionary': return draw.chance(88) ? drawQuery(draw, place.collection) : ''
    case 'item': return draw.chance(45) ? drawFields(draw, place.collection) : draw.chance(4) ? drawQuery(draw, place.collection) : ''
    default: return draw.chance(4) ? 'fields=x' : ''
  }
}

const drawAccept = (draw: Draw, isMany: boolean): Record<string, string> => draw.chance(isMany ? 75 : 92)
  ? {}
  : { accept: draw.weighted([isMany ? 4 : 0, 'application/x-ndjson'], [isMany ? 4 : 0, 'text/csv'], [1, 'application/problem+json'], [1, 'text/html'], [1, '*/*'], [1, 'text/csv;q=0.5, application/x-ndjson'], [1, 'application/json;q=0']) }

function drawFollow (draw: Draw, atlas: Atlas, { links }: Known): Sent {
  const url = draw.from(links)
  return url === undefined ? drawRead(draw, atlas) : { method: 'GET', url, headers: drawAccept(draw, true) }
}

function drawConditional (draw: Draw, atlas: Atlas, { tags }: Known): Sent {
  const [url, tag] = draw.from([...tags]) ?? []
  if (url === undefined || tag === undefined) return drawRead(draw, atlas)
  return { method: draw.of(['GET', 'HEAD']), url, headers: { 'if-none-match': draw.weighted([4, tag], [1, `W/${tag}`], [1, `"x", ${tag}`], [1, '*'], [1, '"x"']) } }
}

function drawCreation (draw: Draw, atlas: Atlas): Sent {
  const { path, collection } = drawCollection(draw, atlas, 2)
  const one = () => drawCreate(draw, collection, 2)
  const body = draw.chance(15) ? `[${Array.from({ length: draw.below(4) }, one).join(',')}]` : one()
  return { method: 'POST', url: path + representation(draw), headers: { ...json, ...drawPrefer(draw) }, body }
}

const representation = (draw: Draw) => draw.chance(4) ? '?fields=id' : ''

const drawPrefer = (draw: Draw): Record<string, string> => draw.chance(80) ? {} : { prefer: draw.of(['return=representation', 'return=minimal', 'return=representation, count=exact']) }

function drawChange (draw: Draw, atlas: Atlas, known: Known): Sent {
  const { path, collection } = drawItem(draw, atlas, 2)
  return { method: draw.of(['PUT', 'PATCH']), url: path + representation(draw), headers: { ...json, ...drawPrefer(draw), ...drawCondition(draw, path, known) }, body: draw.chance(15) ? drawCreate(draw, collection, 2) : drawUpdate(draw, collection, 2) }
}

function drawCondition (draw: Draw, path: string, { tags }: Known): Record<string, string> {
  const right = tags.get(path)
  if (right !== undefined && draw.chance(40)) return { 'if-match': right }
  if (draw.chance(85)) return {}
  return draw.of<Record<string, string>>([{ 'if-match': '*' }, { 'if-match': '"x"' }, { 'if-none-match': '*' }, { 'if-match': 'x' }, { 'if-match': `"x", ${right ?? '*'}` }, { 'if-match': [...tags.values()].at(-1) ?? '*' }])
}

function drawScalarWrite (draw: Draw, atlas: Atlas): Sent {
  const { path, collection, field } = drawScalar(draw, atlas, true)
  return { method: 'PUT', url: path, headers: { ...json, ...drawPrefer(draw) }, body: field === undefined ? draw.of(oddJson) : drawValue(draw, field, collection) }
}

function drawDeletion (draw: Draw, atlas: Atlas, known: Known): Sent {
  const { path } = drawItem(draw, atlas, 2)
  return { method: 'DELETE', url: path, headers: { ...drawPrefer(draw), ...drawCondition(draw, path, known) } }
}

/** What GET showed goes back, as it was or with a value of another item's. */
function drawSendBack (draw: Draw, atlas: Atlas, { shown }: Known): Sent {
  const [url, body] = draw.from([...shown]) ?? []
  if (url === undefined || body === undefined) return drawChange(draw, atlas, makeKnown())
  return { method: draw.of(['PUT', 'PATCH']), url, headers: json, body: draw.chance(50) ? body : draw.from([...shown.values()]) ?? body }
}

/** Something that a client should not have sent. */
function spoil (draw: Draw, sent: Sent): Sent {
  const { method, url, headers, body } = sent
  const at = url.indexOf('/') + 1 + draw.below(url.length)
  return draw.of<() => Sent>([
    () => ({ ...sent, url: `${url}${draw.of(['/', '//', '/x', '/id', '?', '?x=1', '&&', '&id=1', '&sort=', '&fields=', '%', '%ZZ', '%00', '%ED%A0%80', '%C0%80', '%2F', '&where=(', '&where=a"', '&page=1&page=1'])}` }),
    () => ({ ...sent, url: `${url.slice(0, at)}${draw.of(['', '%22', '(', ')', ',', '!', '=', '~', '%00', '9', '%E2%82', '.', '-', '%F0%9F%98%80'])}${url.slice(at + draw.below(2))}` }),
    () => ({ ...sent, method: draw.of(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS']) }),
    () => ({ method, url, headers: { ...headers, 'content-type': draw.of(['text/plain', 'application/json; charset=latin1', 'application/merge-patch+json', 'application/x-www-form-urlencoded']) }, body: body ?? '{}' }),
    () => ({ method, url, headers: { ...headers, ...json }, body: (body ?? '{}').slice(0, draw.below((body ?? '{}').length + 1)) }),
    () => ({ method, url, headers: { ...headers, ...json }, body: draw.of(oddJson) })
  ])()
}
