import type { Difference } from './run.ts'
import type { Answer, SentRequest } from './serve.ts'
import { describeTables, shorten } from './table.ts'
import type { GeneratedCollection, World } from './world.ts'

/** Returns a description of a difference for people to read, with all that is needed to reproduce it. */
export function report ({ options, tables, collections }: World, { sent, answers }: Difference): string {
  return [
    `Tables:\n${describeTables(tables)}`,
    `Collections:\n${collections.map(describeCollection).join('\n')}`,
    `Options: ${JSON.stringify(options)}`,
    `Requests:\n${sent.map(describeRequest).join('\n')}`,
    `Answers:\n${answers.map(describeSourceAnswer).join('\n')}`
  ].join('\n\n')
}

function describeCollection (collection: GeneratedCollection): string {
  const { property, table, schema, requestStrategies, pages, extras } = collection
  const fields = Object.entries(schema).map(([name, { examples: _examples, ...one }]) =>
    `  ${name}: ${shorten(JSON.stringify(one))}`
  )
  const used = Object.entries(extras).flatMap(([name, isUsed]) => isUsed === true ? [name] : [])
  return [
    `${property}, of table ${table}, ${JSON.stringify({ requestStrategies, pages, extras: used })}`,
    ...fields
  ].join('\n')
}

const describeRequest = ({ method, url, headers, body }: SentRequest) =>
  `${method} ${shorten(url)} ${JSON.stringify(headers)}${body === undefined ? '' : ` ${shorten(body)}`}`

function describeSourceAnswer ({ name, answer, faults }: Difference['answers'][number]): string {
  const logged = faults.map(fault => `\n  logged: ${shorten(fault)}`).join('')
  return `${name}: ${describeAnswer(answer)}${logged}`
}

const describeAnswer = ({ status, headers, body }: Answer) => `${status} ${JSON.stringify(headers)}\n  ${shorten(body)}`
