import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import dataApi, { frameworkErrors } from '../../lib/index.ts'
import { CaseArbitrary } from '../../lib/conformance/case.ts'
import { declare } from '../../lib/conformance/declare.ts'
import { type ChoiceSequence, makeGenerator, type ValueGenerator } from '../../lib/conformance/generator.ts'
import { generateRequest, makeClientState, recordAnswer } from '../../lib/conformance/requests.ts'
import { type ApiModel, generateItem, generateScalar } from '../../lib/conformance/resources.ts'
import { apiModelOf, openMemory } from '../../lib/conformance/run.ts'
import { type Answer, sender, type SentRequest } from '../../lib/conformance/send.ts'
import type { Open, Opened } from '../../lib/conformance/serve.ts'
import { makeWorld, type World } from '../../lib/conformance/world.ts'
import type { Declared } from '../../lib/declare/collection.ts'
import { plainRequests } from '../../lib/request/plain.ts'
import { openPostgres, openSqlite } from '../helpers/conformance.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'

// docs/decisions/prepared-requests.md: a prepared request is answered as one that is planned as a whole, which every
// request with a preference is.

const sources: Readonly<Record<string, Open>> = {
  memory: openMemory, sqlite: openSqlite, ...!withoutPostgres && { postgres: openPostgres }
}

/** One of equal worlds. `ask` returns what is compared. */
interface Asked { ask (sent: SentRequest): Promise<Told>, close (): Promise<void> }

interface Told { readonly answer: Answer, readonly facts: unknown }

/** `guarded`: the header `caller` names one of four classes of callers. */
async function serve (world: World, open: Open, guarded: boolean): Promise<Asked> {
  const opened = await open(world.tables)
  const app = Fastify({ frameworkErrors, routerOptions: { maxParamLength: 10_000 } })
  let facts: unknown
  app.addHook('onResponse', async ({ dataApi }) => { facts = dataApi })
  const declared = declare(world, sourcesOf(opened))
  await app.register(dataApi, { ...world.options, collections: guarded ? guardedBy(declared) : declared })
  await app.ready()
  const send = sender(app)
  return {
    async ask (sent) {
      facts = undefined
      const answer = await send(sent)
      return { answer, facts }
    },
    async close () {
      await app.close()
      await opened.close()
    }
  }
}

function sourcesOf (opened: Opened): Opened['source'] {
  const sources = new Map<string, ReturnType<Opened['source']>>()
  return table => {
    const source = sources.get(table) ?? opened.source(table)
    sources.set(table, source)
    return source
  }
}

/** Adds rules and scopes. Callers 0 and 1 see all fields; 1 has a scope of its own in each request. */
function guardedBy (declared: Record<string, Declared>): Record<string, Declared> {
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => {
    const [first = '', second = '', third = ''] = Object.entries(one.schema.properties)
      .filter(([property, schema]) => schema['type'] !== undefined && property !== 'id').map(([property]) => property)
    const is = (number: string) => ({ request }: { readonly request: { readonly headers: object } | undefined }) =>
      (request?.headers as Record<string, unknown>)['caller'] !== number
    const fields = {
      ...second !== '' && { [second]: { read: is('2') } },
      ...third !== '' && { [third]: { write: is('3') } }
    }
    const scope = ({ request }: { readonly request: { readonly headers: Record<string, unknown> } }) => {
      const { caller, seen } = request.headers
      return caller !== '1' || first === '' ? true : { [first]: JSON.parse(String(seen)) as never }
    }
    const rules = { update: is('3'), fields }
    return [name, { ...one, rules: { ...one.rules, ...rules }, scope } as unknown as Declared]
  }))
}

/** Returns a read of an item or a field, with the tag that the client has of it or none. */
function generatePlain (generator: ValueGenerator, api: ApiModel, tags: ReadonlyMap<string, string>): SentRequest {
  const { path } = generator.chance(50) ? generateItem(generator, api, 0) : generateScalar(generator, api, false)
  const tag = generator.chance(30) ? tags.get(path) : undefined
  return { method: 'GET', url: path, headers: tag === undefined ? {} : { 'if-none-match': tag } }
}

/** Draws a request of any kind, and two plain ones that follow it. */
function * generateRequests (generator: ValueGenerator, api: ApiModel, client: Client): Generator<SentRequest> {
  yield generateRequest(generator, api, client)
  for (let count = 0; count < 2; count++) yield generatePlain(generator, api, client.tags)
}

type Client = ReturnType<typeof makeClientState>

const withPreference = (sent: SentRequest): SentRequest => {
  const { prefer } = sent.headers
  return { ...sent, headers: { ...sent.headers, prefer: prefer === undefined ? 'whole' : `${prefer}, whole` } }
}

/** Sends the requests of a case to equal worlds. Returns the number of those whose shape was prepared before. */
async function sendAll (
  api: ApiModel, requests: readonly ChoiceSequence[], worlds: readonly [Asked, Asked]
): Promise<number> {
  const client = makeClientState()
  const shapes = new Set<string>()
  let repeated = 0
  for (const choices of requests) {
    const generator = makeGenerator(choices)
    for (const drawn of generateRequests(generator, api, client)) {
      const caller = { caller: String(generator.below(4)), seen: JSON.stringify(generator.below(3)) }
      const { status } = await send({ ...drawn, headers: { ...drawn.headers, ...caller } }, worlds, client)
      const shape = status < 400 ? shapeOf(drawn, api) : undefined
      if (shape === undefined) continue
      if (shapes.has(shape)) repeated++
      shapes.add(shape)
    }
  }
  return repeated
}

async function send (sent: SentRequest, [prepared, whole]: readonly [Asked, Asked], client: Client): Promise<Answer> {
  const told = await prepared.ask(sent)
  // A read is repeated: the first may be the one that is prepared.
  const others = [await whole.ask(withPreference(sent)), ...sent.method === 'GET' ? [await prepared.ask(sent)] : []]
  for (const other of others) {
    if (isDeepStrictEqual(other, told)) continue
    throw new Error(`${JSON.stringify(sent)}\n${JSON.stringify(told)}\n${JSON.stringify(other)}`)
  }
  recordAnswer(client, sent, told.answer)
  return told.answer
}

/** Returns the shape of a plain request; undefined for others. */
function shapeOf (
  { method, url, headers: { accept, prefer } }: SentRequest, { options }: ApiModel
): string | undefined {
  const plain = plainRequests(options.prefix, options.syntax)({ ...ownText, method, url, accept, prefer })
  return plain && `${method} ${plain.name} ${plain.field ?? ''}`
}

const ownText = {
  rootLength: 0,
  router: { ignoreDuplicateSlashes: false, useSemicolonDelimiter: false },
  origin: () => '',
  cacheControl: undefined,
  isPreflight: false,
  ifMatch: undefined,
  ifNoneMatch: undefined,
  idempotencyKey: undefined,
  body: { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined }
}

for (const guarded of [false, true]) {
  for (const [name, open] of Object.entries(sources)) {
    test(`${name}: a prepared request is answered like a whole one${guarded ? ', under rules' : ''}`, async t => {
      let repeated = 0
      await fc.assert(fc.asyncProperty(new CaseArbitrary(), async ({ requests, ...choices }) => {
        const world = makeWorld(choices)
        const worlds = [await serve(world, open, guarded), await serve(world, open, guarded)] as const
        try {
          repeated += await sendAll(apiModelOf(world, openMemory(world.tables)), requests, worlds)
        } finally {
          for (const one of worlds) await one.close()
        }
      }), { numRuns: runsOf(6) })
      t.ok(repeated > 10, `${repeated} requests of prepared shapes`)
    })
  }
}
