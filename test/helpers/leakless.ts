import { isDeepStrictEqual } from 'node:util'
import fc from './fast-check.ts'
import Fastify from './fastify.ts'
import { type Case, CaseArbitrary } from '../../lib/tools/testing/conformance/case.ts'
import { declare, declareOpenly } from '../../lib/tools/testing/world/declare.ts'
import { choiceLimit, type ChoiceSequence, makeGenerator } from '../../lib/tools/testing/world/generator.ts'
import { openMemory } from '../../lib/tools/testing/conformance/run.ts'
import { type ApiModel, encodeText } from '../../lib/tools/testing/requests/resources.ts'
import { generateRequest, recordAnswer, makeClientState } from '../../lib/tools/testing/requests/requests.ts'
import { type AnswerReceived, sender, type SentRequest } from '../../lib/tools/testing/serving/send.ts'
import {
  type Open, type Opened, openPrefix, type ServedWorld, sharedPart
} from '../../lib/tools/testing/serving/serve.ts'
import type { World } from '../../lib/tools/testing/world/world.ts'
import { describeTables } from '../../lib/tools/testing/world/table.ts'
import dataApi, { frameworkErrors } from '../../lib/index.ts'
import { compileModel } from '../../lib/core/model/compile.ts'
import { compileOptions } from '../../lib/core/api/options.ts'
import { openPostgres, openSqlite } from './conformance.ts'
import type { Between, Making } from './leaks.ts'
import { withoutPostgres } from './on-postgres.ts'
import { namesHiddenRow } from './twin-tables.ts'
import { makeWorldPair, withGuards, type WorldPair } from './hidden-worlds.ts'
import { everybody } from './everybody.ts'

// Pairs of databases that differ only in what a caller may not see.

export const databases: Readonly<Record<string, Open>> = {
  memory: openMemory, sqlite: openSqlite, ...!withoutPostgres && { postgres: openPostgres }
}

async function serve (
  name: string, opened: Opened, world: World, guards: WorldPair['guards'], between: Between
): Promise<ServedWorld> {
  const sources = new Map(world.tables.map(table => [table.name, between(opened.source(table.name))]))
  const source = (table: string) => sources.get(table) ?? opened.source(table)
  const logged: string[] = []
  const app = Fastify({
    frameworkErrors,
    logger: { level: 'error', stream: { write (line: string) { logged.push(line) } } },
    routerOptions: { maxParamLength: 10_000 }
  })
  const collections = withGuards(declare(world, source), guards)
  await app.register(dataApi, { rules: everybody, ...world.options, imports: { slice: 3 }, collections })
  await app.register(dataApi, {
    rules: everybody, naming: 'none', prefix: openPrefix, collections: declareOpenly(world, opened.source)
  })
  return {
    name,
    send: sender(app),
    faults: () => logged.splice(0),
    close: async () => {
      await app.close()
      await opened.close()
    }
  }
}

/** What requests are drawn from: all that there is in the first of the two, hidden or not, as it is at the moment. */
function apiModelOf (world: World, source: Opened['source']): ApiModel {
  const collections = declare(world, source)
  const options = compileOptions({ ...world.options, collections })
  return {
    options,
    model: compileModel(collections, {
      naming: options.naming,
      pages: options.pages,
      requestStrategies: options.requestStrategies,
      reserved: new Map()
    })
  }
}

const isWrite = ({ method }: SentRequest) => !['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method)

/** Sends the requests to all, and gives the first whose answers tell the two of a pair apart. */
async function findLeak (
  pair: WorldPair,
  requests: readonly ChoiceSequence[],
  opens: Readonly<Record<string, Open>>,
  { between = source => source, rules = guards => guards }: Making
): Promise<string | undefined> {
  const { world, twin, hidden } = pair
  const guards = rules(pair.guards)
  const first = openMemory(world.tables)
  const served: Array<readonly [ServedWorld, ServedWorld]> = []
  const sent: SentRequest[] = []
  try {
    for (const [name, open] of Object.entries(opens)) {
      served.push([
        await serve(name, name === 'memory' ? first : await open(world.tables), world, guards, between),
        await serve(`${name}, the twin`, await open(twin.tables), twin, guards, between)
      ])
    }
    const before = await hiddenRows(served, world, hidden)
    const api = apiModelOf(world, first.source)
    const client = makeClientState()
    for (const choices of requests) {
      const one = generateRequest(makeGenerator(choices), api, client)
      if (isWrite(one) && namesHiddenRow(one.url + (one.body ?? ''))) continue
      sent.push(one)
      const answers = await Promise.all(served.flat().map(to => to.send(one)))
      const [answer] = answers
      if (answer === undefined) throw new TypeError('nothing is served')
      if (answers.some(other => other.status >= 500) || !isAlike(one, answers)) return tell(sent, served, answers)
      recordAnswer(client, one, sharedPart(one, answer))
    }
    const after = await hiddenRows(served, world, hidden)
    return isDeepStrictEqual(after, before)
      ? undefined
      : `${sent.map(describe).join('\n')}\n\nHidden rows were ${before.join('\n')}\nand are ${after.join('\n')}`
  } finally {
    for (const one of served.flat()) await one.close()
  }
}

/** True if each world answers as its twin, and each database as the first. */
function isAlike (sent: SentRequest, answers: readonly AnswerReceived[]): boolean {
  const [first, ...others] = answers.map(answer => sharedPart(sent, answer))
  return others.every(other => isDeepStrictEqual(other, first)) &&
    answers.every((answer, place) => isDeepStrictEqual(answer, answers[place - place % 2]))
}

/** The rows that the caller may not see, as they are: nor may they be changed. */
async function hiddenRows (
  served: ReadonlyArray<readonly [ServedWorld, ServedWorld]>, { collections }: World, hidden: WorldPair['hidden']
): Promise<readonly string[]> {
  const shown = await Promise.all(served.flatMap(pair => pair.flatMap((one, which) => collections.map(async ({
    property, keys: fields
  }) => {
    const keys = hidden[property]?.[which] ?? []
    const { body } = await one.send({ method: 'GET', url: `${openPrefix}/${encodeText(property)}`, headers: {} })
    const keyIn = (row: Record<string, unknown>) => JSON.stringify(fields.map(field => row[field.property]))
    return JSON.stringify(
      (JSON.parse(body) as Array<Record<string, unknown>>).filter(row => keys.includes(keyIn(row)))
    )
  }))))
  return shown
}

const tell = (
  sent: readonly SentRequest[],
  served: ReadonlyArray<readonly [ServedWorld, ServedWorld]>,
  answers: readonly AnswerReceived[]
) =>
  `${sent.map(describe).join('\n')}\n\n${served.flat().map(({ name, faults }, index) =>
    `${name}: ${JSON.stringify(answers[index])}\n${faults().join('')}`).join('\n')}`

const describe = ({ method, url, headers, body }: SentRequest) =>
  `${method} ${url} ${JSON.stringify(headers)} ${body ?? ''}`

function report ({ world, twin, guards }: WorldPair, leak: string): string {
  const rules = Object.entries(guards).map(([name, { scope, rules: { fields, ...others } }]) => {
    const denied = Object.entries(fields ?? {}).map(([field, rule]) => `${field} ${Object.keys(rule ?? {}).join('+')}`)
    const scopes = [scope, ...Object.entries({ ...scope })].join(' ')
    return `${name}: scope ${scopes}; ${Object.keys(others).join(' ')}; fields ${denied.join(', ')}`
  })
  const schemas = world.collections.map(({
    property, schema, requestStrategies, extras
  }) => `${property} ${JSON.stringify(
    { requestStrategies, extras }
  )}\n${Object.entries(schema).map(([name, { examples: _examples, ...one }]) => `  ${name}: ${JSON.stringify(one)}`)
    .join('\n')}`)
  return [
    describeTables(world.tables), 'THE TWIN', describeTables(twin.tables), ...schemas, ...rules,
    JSON.stringify(world.options), leak
  ].join('\n\n')
}

const choices: fc.Arbitrary<ChoiceSequence> = fc.array(fc.nat({ max: choiceLimit - 1 }),
  { minLength: 400, maxLength: 400 })
const cases: fc.Arbitrary<readonly [Case, ChoiceSequence, ChoiceSequence]> = fc.tuple(new CaseArbitrary(), choices,
  choices)

/** A property of drawn worlds: each answers as its twin, and each database as the first. */
export const leakless = (opens: Readonly<Record<string, Open>>, making: Making) => fc.asyncProperty(cases, async ([{
  requests, ...world
}, rules, secrets]) => {
  const pair = makeWorldPair(world, rules, secrets)
  const leak = await findLeak(pair, requests, opens, making)
  if (leak !== undefined) throw new Error(report(pair, leak))
})
