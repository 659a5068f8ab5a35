import type { Difference } from './run.ts'
import type { Answer, SentRequest } from './serve.ts'
import { describeTables, shorten } from './table.ts'
import type { GeneratedCollection, World } from './world.ts'

/** All that is needed to see a difference again, for a person to read. */
export function report ({ options, tables, collections }: World, { sent, answers }: Difference): string {
  return [
    `Tables:\n${describeTables(tables)}`,
    `Collections:\n${collections.map(describeCollection).join('\n')}`,
    `Options: ${JSON.stringify(options)}`,
    `Requests:\n${sent.map(describeRequest).join('\n')}`,
    `Answers:\n${answers.map(({ name, answer, faults }) => `${name}: ${describeAnswer(answer)}${faults.map(fault => `\n  logged: ${shorten(fault)}`).join('')}`).join('\n')}`
  ].join('\n\n')
}

function describeCollection ({
  property,
  table,
  schema,
  requestStrategies,
  pages,
  extras
}: GeneratedCollection): string {
  const fields = Object.entries(schema).map(([name, { examples: _examples, ...one }]) =>
    `  ${name}: ${shorten(JSON.stringify(one))}`
  )
  const used = Object.entries(extras).flatMap(([name, isThere]) => isThere === true ? [name] : [])
  return [
    `${property}, of table ${table}, ${JSON.stringify({ requestStrategies, pages, extras: used })}`,
    ...fields
  ].join('\n')
}

const describeRequest = ({ method, url, headers, body }: SentRequest) =>
  `${method} ${shorten(url)} ${JSON.stringify(headers)}${body === undefined ? '' : ` ${shorten(body)}`}`

const describeAnswer = ({ status, headers, body }: Answer) => `${status} ${JSON.stringify(headers)}\n  ${shorten(body)}`
