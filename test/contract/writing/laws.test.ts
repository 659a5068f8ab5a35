import { test } from 'tap'
import { type Case, CaseArbitrary } from '../../../lib/tools/testing/conformance/case.ts'
import { describeWorld } from '../../../lib/tools/testing/conformance/report.ts'
import { generateUpdate } from '../../../lib/tools/testing/requests/bodies.ts'
import { generateRequest, makeClientState, recordAnswer } from '../../../lib/tools/testing/requests/requests.ts'
import { generateFilterPart } from '../../../lib/tools/testing/requests/queries.ts'
import { encodeText, keySegment } from '../../../lib/tools/testing/requests/resources.ts'
import { type AnswerReceived, isRead, type SentRequest } from '../../../lib/tools/testing/serving/send.ts'
import { openMemory, serve, type ServedWorld, storedIn } from '../../../lib/tools/testing/serving/serve.ts'
import { makeGenerator, type ValueGenerator } from '../../../lib/tools/testing/world/generator.ts'
import { makeWorld, type World } from '../../../lib/tools/testing/world/world.ts'
import { memoryTable } from '../../../lib/core/sources/memory/relations.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'

// docs/http.md: Writing. Laws of drawn writes to drawn worlds in memory(). Conformance shows that each database answers
// as memory() does.

/** A drawn request to a world. `other`: another world, which holds the same. */
interface Drawn {
  readonly world: World
  readonly served: ServedWorld
  readonly other: ServedWorld
  readonly sent: SentRequest
  readonly generator: ValueGenerator
}

/** What a law has found. `isLast`: true if the two worlds hold different rows from now on. */
interface Found { readonly answer: AnswerReceived, readonly wrong?: unknown, readonly isLast?: boolean }

/** Sends a request, or others in its place; undefined for one that the law does not concern. */
type Law = (drawn: Drawn) => Promise<Found | undefined>

/** Tests that a law holds, and that it concerns some requests. What it does not concern is sent to both worlds. */
function holds (name: string, { runs, isGuarded }: { runs: number, isGuarded?: boolean }, law: Law): void {
  test(name, { timeout: 0 }, async t => {
    let concerned = 0
    await fc.assert(fc.asyncProperty(new CaseArbitrary(), async ({ requests, ...choices }: Case) => {
      const world = makeWorld(choices, isGuarded)
      const open = () => serve('memory()', openMemory(world.tables), world, false)
      const [served, other] = [await open(), await open()]
      const client = makeClientState()
      const all: SentRequest[] = []
      for (const sequence of requests) {
        const generator = makeGenerator(sequence)
        const sent = plainly(generateRequest(generator, served.api, client))
        all.push(sent)
        const told = await law({ world, served, other, sent, generator })
        concerned += Number(told !== undefined)
        const [answer] = told === undefined ? await Promise.all([served.send(sent), other.send(sent)]) : [told.answer]
        recordAnswer(client, sent, answer)
        if (told?.wrong !== undefined) {
          const lines = [...all, told.wrong].map(one => JSON.stringify(one))
          throw new Error([...describeWorld(world), lines.join('\n')].join('\n\n'))
        }
        if (told?.isLast === true) break
      }
      await Promise.all([served.close(), other.close()])
    }), { numRuns: runsOf(runs) })
    t.ok(concerned > 0, `${concerned} requests`)
  })
}

/** Returns the request without its preferences and its key. */
const plainly = ({ headers: { prefer: _prefer, 'idempotency-key': _key, ...headers }, ...sent }: SentRequest) =>
  ({ ...sent, headers })

holds('a write that is refused changes nothing', { runs: 36 }, async ({ world, served, sent }) => {
  if (isRead(sent)) return undefined
  const before = await storedIn(served, world)
  const answer = await served.send(sent)
  const after = answer.status < 400 ? before : await storedIn(served, world)
  return { answer, ...after !== before && { wrong: { answer, before, after } } }
})

holds('a dry run changes nothing, and is an error where the write is, the same one', { runs: 36 }, async ({
  world, served, sent
}) => {
  if (isRead(sent)) return undefined
  const before = await storedIn(served, world)
  const told = await served.send({ ...sent, headers: { ...sent.headers, prefer: 'dry-run' } })
  const after = await storedIn(served, world)
  const answer = await served.send(sent)
  const isAlike = answer.status < 400 ? told.status === 200 : told.status === answer.status && told.body === answer.body
  return { answer, ...(after !== before || !isAlike) && { wrong: { answer, told, before, after } } }
})

const stream = { 'content-type': 'application/x-ndjson' }

/** The body of an error without the line. */
const lineless = (body: string) => body.replaceAll(/"line":1,|,"line":1(?=[,}])/g, '')

holds('a line of an import is written, or refused, as the body of a POST alone', { runs: 36 }, async ({
  world, served, other, sent
}) => {
  if (sent.method !== 'POST' || !isLine(sent)) return undefined
  const [answer, told] = [await served.send(sent), await other.send({ ...sent, headers: stream })]
  const isDone = answer.status < 300
  const isAlike = isDone
    ? told.status === 201 && told.body === '{"status":"created","count":1}'
    : told.status === answer.status && lineless(told.body) === answer.body
  const [held, imported] = [await storedIn(served, world), await storedIn(other, world)]
  return { answer, ...(!isAlike || held !== imported) && { wrong: { answer, told, held, imported } } }
})

/** True for an object, which no other request but the creation of an item has, sent to no item. */
const isLine = ({ url, headers, body = '' }: SentRequest) =>
  headers['content-type'] === 'application/json' && !url.includes('?') && /^\{[^\r\n\0]*\}$/.test(body) &&
  !/^\{"(?:add|append|remove)":/.test(body)

// A key that is no special identifier, no dictionary, and no dot.
const isName = /^(?!me$|by_|per-)[\w-]+$/

holds('an array of changes does what single writes do, or nothing', { runs: 36, isGuarded: false }, async ({
  world, served, other, generator
}) => {
  const { model, options: { prefix } } = served.api
  const collection = generator.of([...model.collections.values()])
  const named = [...memoryTable(collection).all()].filter(row => isName.test(keySegment(row, collection)))
  const rows = generator.slice(named, 2)
  if (!collection.key.every(({ readable }) => readable) || rows.length === 0) return undefined
  const url = `${prefix}/${encodeText(collection.name)}`
  const headers = { 'content-type': 'application/json', prefer: 'return=representation' }
  const changes = rows.map(row => {
    const members = JSON.parse(generateUpdate(generator, collection, 1)) as Record<string, unknown>
    const key = collection.key.map(({ name, property }) => [name, (row as Record<string, unknown>)[property]] as const)
    const element = JSON.stringify({ ...members, ...Object.fromEntries(key) })
    return { at: `${url}/${keySegment(row, collection)}`, element }
  })
  const before = await storedIn(served, world)
  const body = `[${changes.map(({ element }) => element).join(',')}]`
  const answer = await served.send({ method: 'PATCH', url, headers, body })
  const singles: AnswerReceived[] = []
  for (const { at, element } of changes) {
    singles.push(await other.send({ method: 'PATCH', url: at, headers, body: element }))
  }
  const isDone = singles.every(({ status }) => status === 200)
  const [held, expected] = [await storedIn(served, world), isDone ? await storedIn(other, world) : before]
  const isAlike = (answer.status === 200) === isDone && held === expected
  return { answer, isLast: !isDone, ...!isAlike && { wrong: { body, answer, singles, held, expected } } }
})

holds('a write by a filter does what single writes do, or nothing', { runs: 36, isGuarded: false }, async ({
  world, served, other, generator
}) => {
  const { model, options: { prefix } } = served.api
  const collection = generator.of([...model.collections.values()])
  const filter = generateFilterPart(generator, collection)
  if (generator.chance(50) || !collection.key.every(({ readable }) => readable)) return undefined
  const names = collection.key.map(({ name }) => encodeText(name)).join(',')
  const path = `${prefix}/${encodeText(collection.name)}`
  const url = `${path}?${filter}`
  const found = await other.send({
    method: 'GET', url: `${url}&fields=${names}&sort=${names}`, headers: { accept: 'application/x-ndjson' }
  })
  const keys = found.body.split('\n').filter(line => line !== '').map(line =>
    Object.values(JSON.parse(line) as object).map(one => encodeText(String(one))).join(','))
  if (found.status !== 200 || keys.length === 0 || !keys.every(key => isName.test(key))) return undefined
  const sent = generator.chance(50)
    ? { method: 'DELETE', headers: {} }
    : {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: generateUpdate(generator, collection, 1)
      }
  // An item does not take another key than the one in its URL.
  if (collection.key.some(({ name }) => sent.body?.includes(JSON.stringify(name)) === true)) return undefined
  const before = await storedIn(served, world)
  const answer = await served.send({ ...sent, url })
  if (answer.status === 405 || answer.body.includes('in many items at once')) return { answer, isLast: true }
  const singles: AnswerReceived[] = []
  for (const key of keys) {
    const single = await other.send({ ...sent, url: `${path}/${key}` })
    singles.push(single)
    if (single.status >= 400 && single.status !== 404) break
  }
  // A deletion before it may have taken it along.
  const isDone = singles.every(({ status }) => status < 300 || (status === 404 && sent.method === 'DELETE'))
  const [held, expected] = [await storedIn(served, world), isDone ? await storedIn(other, world) : before]
  const isAlike = (answer.status === 200) === isDone && held === expected
  return { answer, isLast: !isDone, ...!isAlike && { wrong: { url, sent, answer, singles, held, expected } } }
})

holds('an item can be sent back as it is got, and then nothing changes', { runs: 36, isGuarded: false }, async ({
  world, served, sent, generator
}) => {
  const { model, options: { prefix } } = served.api
  const collection = generator.of([...model.collections.values()])
  const row = generator.from([...memoryTable(collection).all()].filter(one => isName.test(keySegment(one, collection))))
  // What shows no key cannot be named by what it shows.
  const isNamed = [...model.collections.values()].every(({ key }) => key.every(({ readable }) => readable))
  const isTaken = collection.strategies.update.includes('PUT') && isNamed
  if (row === undefined || isRead(sent) || !isTaken) return undefined
  await served.send(sent)
  const url = `${prefix}/${encodeText(collection.name)}/${keySegment(row, collection)}`
  const got = await served.send({ method: 'GET', url, headers: {} })
  const { etag } = got.headers
  // A column may hold what no client can write, such as NaN.
  if (got.status !== 200 || typeof etag !== 'string' || isExceptional.test(got.body)) return undefined
  const before = await storedIn(served, world)
  const headers = { 'content-type': 'application/json', 'if-match': etag }
  const answer = await served.send({ method: 'PUT', url, headers, body: got.body })
  const after = await storedIn(served, world)
  // 413: it has more items than the API takes in one body.
  const isAlike = [200, 413].includes(answer.status) && unversioned(after) === unversioned(before)
  return { answer, ...!isAlike && { wrong: { url, got, answer, before, after } } }
})

const isExceptional = /"(?:NaN|-?Infinity|-?infinity|-?\d{16,})"/

/** A version counts writes, whether or not they change anything. */
const unversioned = (rows: string) => rows.replaceAll(/"revision":\d+/g, '')
