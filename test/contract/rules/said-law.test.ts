import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import { type Case, CaseArbitrary } from '../../../lib/tools/testing/conformance/case.ts'
import { makeGenerator } from '../../../lib/tools/testing/world/generator.ts'
import { generateRequest, makeClientState, recordAnswer } from '../../../lib/tools/testing/requests/requests.ts'
import { type ApiModel, encodeText, keySegment } from '../../../lib/tools/testing/requests/resources.ts'
import type { AnswerReceived, SentRequest } from '../../../lib/tools/testing/serving/send.ts'
import { openMemory, serve as serveWorld, type ServedWorld } from '../../../lib/tools/testing/serving/serve.ts'
import { type Operation, operations } from '../../../lib/tools/testing/world/sayings.ts'
import { makeWorld, type World } from '../../../lib/tools/testing/world/world.ts'
import type { Collection } from '../../../lib/core/model/model.ts'
import { memoryTable } from '../../../lib/core/sources/memory/relations.ts'
import { type Right, rightsIn } from '../../../lib/core/rules/rights.ts'
import type { OpenApiDocument, OperationRules } from '../../../lib/index.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import { readDocument } from '../../helpers/openapi.ts'

// docs/rules.md: Who may do what. Drawn constants say it for generated collections, or the registration for them.

type Allowed = Readonly<Record<Operation, boolean>>

/** What may be done to each collection, and which of it the registration says. */
interface Saying { readonly own: Readonly<Record<string, Allowed>>, readonly api: Readonly<Partial<Allowed>> }

type Told = (isAllowed: boolean) => OperationRules['read']

const serve = (world: World): Promise<ServedWorld> => serveWorld('memory()', openMemory(world.tables), world, false)

/** Serves the world with what is said, as constants or as what functions tell. */
function serveSaid (world: World, { own, api }: Saying, told: Told = isAllowed => isAllowed): Promise<ServedWorld> {
  const rulesOf = (allowed: Partial<Allowed>): OperationRules =>
    Object.fromEntries(Object.entries(allowed).map(([operation, one]) => [operation, told(one)]))
  const guards = Object.fromEntries(world.collections.map(({ property }) => {
    const said = Object.entries(own[property] ?? {})
      .filter(([operation, isAllowed]) => api[operation as Operation] !== isAllowed)
    return [property, { scope: undefined, rules: rulesOf(Object.fromEntries(said)) }]
  }))
  const options = { ...world.options, rules: rulesOf(api) }
  return serve({ ...world, options, guarded: { guards, twin: [], hidden: {} } })
}

const allowed: fc.Arbitrary<Allowed> = fc.record({
  read: fc.nat(5).map(n => n > 0),
  create: fc.nat(2).map(n => n > 0),
  update: fc.nat(2).map(n => n > 0),
  delete: fc.nat(2).map(n => n > 0)
})
const cases = fc.tuple(new CaseArbitrary(), fc.array(allowed, { minLength: 6, maxLength: 6 }),
  fc.record({ read: fc.boolean(), create: fc.boolean(), update: fc.boolean(), delete: fc.boolean() },
    { requiredKeys: [] }))

const sayingOf = ({ collections }: World, all: readonly Allowed[], api: Saying['api']): Saying => ({
  own: Object.fromEntries(collections.flatMap(({ property }, index) => {
    const one = all[index]
    return one === undefined ? [] : [[property, one] as const]
  })),
  api
})

/** A path of the API: of a collection, its first item, or a field of that. `target`: where a relation leads. */
interface Place {
  readonly url: string
  readonly kind: 'collection' | 'item' | 'scalar' | 'relation'
  readonly collection: Collection
  readonly target?: Collection
}

function placesIn ({ model, options: { prefix } }: ApiModel): readonly Place[] {
  return [...model.collections.values()].flatMap(collection => {
    const url = `${prefix}/${encodeText(collection.name)}`
    // A client that resolves `.` and `..` in a path asks for another one.
    const row = [...memoryTable(collection).all()].find(one => !/^\.\.?$/.test(keySegment(one, collection)))
    if (row === undefined) return [{ url, kind: 'collection', collection } as const]
    const item = `${url}/${keySegment(row, collection)}`
    return [
      { url, kind: 'collection', collection } as const,
      { url: item, kind: 'item', collection } as const,
      ...[...collection.fields.values()].map((field): Place => {
        const place = { url: `${item}/${encodeText(field.name)}`, collection }
        return 'target' in field ? { ...place, kind: 'relation', target: field.target } : { ...place, kind: 'scalar' }
      })
    ]
  })
}

const methods = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']

const isWrittenBy = (method: string) => ['POST', 'PUT', 'PATCH'].includes(method)

/** Returns true if the caller can write a field: a relation from or to what it may not read is none for it. */
const hasWritable = ({ property, fields }: Collection, { own }: Saying): boolean => [...fields.values()].some(field =>
  field.writable && !('target' in field && [property, field.target.property].some(one => own[one]?.read === false)))

/** Returns true if one of the operations that the method can do there is allowed. */
function isAllowedAt (method: string, { kind, collection }: Place, saying: Saying): boolean {
  const { property, strategies } = collection
  const may = saying.own[property]
  if (may === undefined || (!may.read && !(method === 'POST' && kind === 'collection'))) return false
  if (isWrittenBy(method) && !hasWritable(collection, saying) && !(strategies.upsert && method !== 'POST')) return false
  switch (method) {
    case 'POST': return kind === 'collection' ? may.create : may.update
    case 'PUT': case 'PATCH': return may.update || (kind !== 'scalar' && strategies.upsert && may.create)
    case 'DELETE': return may.delete
    default: return true
  }
}

async function methodsAt (url: string, { send }: ServedWorld): Promise<readonly string[]> {
  const { headers } = await send({ method: 'OPTIONS', url, headers: {} })
  return String(headers['allow'] ?? '').split(', ').filter(method => methods.includes(method))
}

type Document = ReturnType<typeof readDocument>

async function documentOf ({ send, api: { options: { prefix } } }: ServedWorld): Promise<Document> {
  const { body } = await send({ method: 'GET', url: `${prefix}/openapi.json`, headers: {} })
  return readDocument(JSON.parse(body) as OpenApiDocument)
}

/** Returns what is wrong with the methods of a path: those that OPTIONS, requests and the document tell. */
async function findWrongMethod (
  place: Place, saying: Saying, [open, said]: readonly [ServedWorld, ServedWorld],
  documents: readonly [Document, Document]
): Promise<string | undefined> {
  const { url, kind, target } = place
  const whole = await methodsAt(url, open)
  const allow = await methodsAt(url, said)
  const isHidden = target !== undefined && saying.own[target.property]?.read === false
  const path = url.slice(said.api.options.prefix.length)
  for (const method of methods) {
    const isTold = allow.includes(method)
    const isRight = kind === 'relation' || isTold === (whole.includes(method) && isAllowedAt(method, place, saying))
    if (!isRight || (isTold && !whole.includes(method))) return `OPTIONS ${url}: ${allow.join()}, not by ${method}`
    const isListed = (one: Document) => one.find(method, path) !== undefined
    const isExact = !['HEAD', 'QUERY'].includes(method) && isListed(documents[0]) === whole.includes(method)
    if (isExact && isTold !== isListed(documents[1])) {
      return `${method} ${url}: Allow is ${allow.join()}, and the document tells otherwise`
    }
    if (isTold || !whole.includes(method)) continue
    const { status } = await said.send({ method, url, headers: { 'content-type': 'application/json' }, body: '{}' })
    // 405: the resource of the caller's model may not have the method at all (lib/core/plan/request.ts).
    if (status !== 403 && status !== 405 && !(isHidden && status === 404)) return `${method} ${url} is ${status}`
  }
  return undefined
}

/** Returns the operation of which a right does not tell what is said. What no request can do, nobody may. */
function findWrongRight (
  rights: Readonly<Record<Operation, Right>>, collection: Collection | undefined, saying: Saying
): Operation | undefined {
  const may = collection && saying.own[collection.property]
  if (collection === undefined || may === undefined) return 'read'
  const { delete: deletes, upsert } = collection.strategies
  const isServed = { read: true, create: upsert, update: hasWritable(collection, saying), delete: deletes }
  return operations.find(one => {
    const isAllowed = may[one] && (one === 'create' || may.read)
    return rights[one] === 'yes' ? !isAllowed : isAllowed && isServed[one] && collection.strategies.update.length > 0
  })
}

type Rows = ReadonlyMap<string, ReadonlyMap<string, object>>

const rowsIn = ({ api: { model } }: ServedWorld): Rows => new Map([...model.collections.values()].map(one =>
  [one.property, new Map([...memoryTable(one).all()].map(row => [keySegment(row, one), structuredClone(row)]))]))

/** Returns the operations that made these rows of those, as `collection.operation`. */
const doneIn = (before: Rows, after: Rows): readonly string[] => [...after].flatMap(([name, rows]) => {
  const old = before.get(name) ?? new Map<string, object>()
  const changed = [...rows].filter(([key, row]) => old.has(key) && !isDeepStrictEqual(row, old.get(key)))
  return [
    // An update may change the key.
    ...rows.size > old.size ? [`${name}.create`] : [],
    ...rows.size < old.size ? [`${name}.delete`] : [],
    ...changed.length > 0 ? [`${name}.update`] : []
  ]
})

/** The part of an answer that constants and functions share: answers by functions are those of one caller. */
function sharedPart ({ status, headers, body }: AnswerReceived) {
  const { 'cache-control': _cacheControl, vary: _vary, ...others } = headers
  return { status, headers: others, body }
}

async function findWrong ({ requests, ...choices }: Case, all: readonly Allowed[], api: Saying['api']) {
  const world = makeWorld(choices, false)
  const saying = sayingOf(world, all, api)
  // Whom a special identifier names depends on the caller.
  const isPersonal = world.collections.some(({ extras }) => extras.special)
  const [open, said, asked] = await Promise.all([
    serve(world), serveSaid(world, saying), serveSaid(world, saying, isAllowed => () => isAllowed)
  ])
  try {
    const documents = [await documentOf(open), await documentOf(said)] as const
    for (const place of placesIn(said.api)) {
      const wrong = await findWrongMethod(place, saying, [open, said], documents)
      if (wrong !== undefined) return wrong
    }
    const { callers, model: { collections } } = said.api
    for (const { collection, ...told } of rightsIn(collections.values(), name => callers.anyone(name))) {
      const wrong = findWrongRight(told, collections.get(collection), saying)
      if (wrong !== undefined) return `${collection}: ${wrong} is ${told[wrong]}`
    }
    const client = makeClientState()
    for (const sequence of requests) {
      const sent: SentRequest = generateRequest(makeGenerator(sequence), said.api, client)
      const before = rowsIn(said)
      const [answer, other] = [await said.send(sent), await asked.send(sent)]
      recordAnswer(client, sent, answer)
      const denied = doneIn(before, rowsIn(said)).filter(one => {
        const [name = '', operation] = one.split('.')
        return saying.own[name]?.[operation as Operation] !== true
      })
      const isAlike = isDeepStrictEqual(sharedPart(answer), sharedPart(other))
      if (denied.length > 0 || !isAlike || (!isPersonal && answer.headers['cache-control'] === 'private')) {
        return JSON.stringify({ sent, denied, answer, other })
      }
    }
    return undefined
  } finally {
    await Promise.all([open, said, asked].map(one => one.close()))
  }
}

const runs = runsOf(15)

test("'false' is 403 at every URL, in no Allow and no operation of the document; nothing is done by it", {
  timeout: 0
}, async t => {
  await fc.assert(fc.asyncProperty(cases, async ([one, all, api]) => {
    const wrong = await findWrong(one, all, api)
    if (wrong !== undefined) throw new Error(`${JSON.stringify([all, api])}\n${wrong}`)
  }), { numRuns: runs, endOnFailure: true })
  t.pass(`${runs} worlds`)
})
