import type { Stale } from '../serving/live.ts'
import type { Difference } from './run.ts'
import type { AnswerReceived, SentRequest } from '../serving/send.ts'
import { describeTables, shorten } from '../world/table.ts'
import type { GeneratedCollection } from '../world/collection.ts'
import type { Guarded } from '../world/guards.ts'
import type { World } from '../world/world.ts'

/** Returns a description of a difference for people to read, with all that is needed to reproduce it. */
export function describeDifference (world: World, { sent, answers, stale, hidden }: Difference): string {
  const differing = () => answers.slice(1).flatMap(one => summarize(one, answers[0]?.answer))
  const found = stale !== undefined
    ? describeStale(stale)
    : hidden !== undefined ? describeHidden(hidden) : differing()
  return [
    found.join('\n') || 'memory() answers with an error.',
    ...describeWorld(world),
    `Requests:\n${sent.map(describeRequest).join('\n')}`,
    `Answers:\n${answers.map(describeSourceAnswer).join('\n')}`
  ].join('\n\n')
}

/** Returns a description of a world that a source could not serve, and why. */
export function describeFault (world: World, cause: unknown): string {
  const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause)
  return [`A source could not be tested: ${reason}`, ...describeWorld(world)].join('\n\n')
}

const describeStale = ({ name, request, answer, told }: Stale): readonly string[] => [
  `'${name}' tells who follows a document something else than GET answers after the requests below.`,
  describeRequest(request),
  `told: ${describeAnswer(told)}`,
  `GET: ${describeAnswer(answer)}`
]

const describeHidden = ([before, after]: NonNullable<Difference['hidden']>): readonly string[] =>
  ['The requests below have changed rows that the rules hide.', `before: ${before}`, `after: ${after}`]

/** Says in what an answer to the last request differs from that of memory(). */
function summarize (
  { name, answer }: Difference['answers'][number], expected: AnswerReceived | undefined
): readonly string[] {
  const names = [...new Set([...Object.keys(answer.headers), ...Object.keys(expected?.headers ?? {})])]
  const parts = [
    ...answer.status === expected?.status ? [] : ['its status'],
    ...names.filter(one => answer.headers[one] !== expected?.headers[one]).map(one => `its header '${one}'`),
    ...answer.body === expected?.body ? [] : ['its body']
  ]
  if (parts.length === 0) return []
  return [`'${name}' answers the last of the requests below differently from memory(), in ${parts.join(', ')}.`]
}

/** Returns a description of a world for people to read. */
export const describeWorld = ({ options, tables, collections, guarded }: World): readonly string[] => [
  `Tables:\n${describeTables(tables)}`,
  ...guarded === undefined ? [] : [`Tables of the twin:\n${describeTables(guarded.twin)}`, describeGuards(guarded)],
  `Collections:\n${collections.map(describeCollection).join('\n')}`,
  `Options: ${JSON.stringify(options)}`
]

function describeGuards ({ guards }: Guarded): string {
  const lines = Object.entries(guards).map(([name, { scope, rules: { fields, ...others } }]) => {
    const denied = Object.entries(fields ?? {}).map(([field, rule]) => `${field} ${Object.keys(rule ?? {}).join('+')}`)
    const scopes = typeof scope === 'function' ? [scope] : Object.entries({ ...scope }).map(one => one.join(': '))
    const said = Object.entries(others).map(one => one.join(': '))
    return `  ${name}: scope ${scopes.join('; ')}; ${said.join('; ')}; fields: ${denied.join(', ')}`
  })
  return `Rules:\n${lines.join('\n')}`
}

function describeCollection (collection: GeneratedCollection): string {
  const { property, table, schema, expressions, requestStrategies, pages, extras } = collection
  const fields = Object.entries(schema).map(([name, { examples: _examples, ...one }]) =>
    `  ${name}: ${shorten(JSON.stringify(one))}`
  )
  const computed = [...expressions].map(([name, { declared: { type, nullable }, text }]) => {
    const { examples: _examples, ...shown } = type
    return `  ${name}: ${shorten(text)} ${JSON.stringify({ ...shown, nullable })}`
  })
  const used = Object.entries(extras).flatMap(([name, isUsed]) => isUsed === true ? [name] : [])
  return [
    `${property}, of table ${table}, ${JSON.stringify({ requestStrategies, pages, extras: used })}`,
    ...fields,
    ...computed
  ].join('\n')
}

const describeRequest = ({ method, url, headers, body }: SentRequest) =>
  `${method} ${shorten(url)} ${JSON.stringify(headers)}${body === undefined ? '' : ` ${shorten(body)}`}`

function describeSourceAnswer ({ name, answer, faults }: Difference['answers'][number]): string {
  const logged = faults.map(fault => `\n  logged: ${shorten(fault)}`).join('')
  return `${name}: ${describeAnswer(answer)}${logged}`
}

const describeAnswer = ({ status, headers, body }: AnswerReceived) =>
  `${status} ${JSON.stringify(headers)}\n  ${shorten(body)}`
