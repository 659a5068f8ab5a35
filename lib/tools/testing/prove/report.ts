import type { Proved } from './prover.ts'
import type { Leak } from './shrink.ts'
import type { TwinChange } from './twin.ts'
import type { Driven } from './way.ts'

/** What was proved, for its report. */
interface Evidence {
  readonly seed: number
  readonly callers: readonly Proved[]
  readonly allow: ReadonlySet<string>
  readonly madeUp: ReadonlySet<string>
}

/** Facts that are alike in both worlds, because callers can learn them: each with the sentence of docs/http.md. */
const learnable: Readonly<Record<string, string>> = {
  'keys and other unique values': 'A unique value is unique among all items.',
  'the highest key': 'Keys that a database counts reveal how many items exist',
  'foreign keys to visible items': 'a deletion is rejected if hidden items refer to the item'
}

/** Returns what a leak tells, as a sentence. */
export function describeLeak (caller: string, { changes: [change, ...more], request }: Leak): string {
  const article = /^[aeiou]/i.test(caller) ? 'An' : 'A'
  if (change === undefined) return `${article} ${caller} can tell what GET hides by ${describeRequest(request)}`
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return `${article} ${caller} can tell ${describeChange(change)}${others} by ${describeRequest(request)}`
}

function describeChange ({ shape: { label }, row, values, hidden }: TwinChange): string {
  if (values === undefined) return `that \`${label}\` has the item ${code(row)}`
  const told = Object.entries(values).map(([property, value]) =>
    `${code(row[property])} from ${code(value)} in \`${label}.${property}\``)
  return `${told.join(', ')}${hidden ? ' of a hidden item' : ''}`
}

const code = (value: unknown) => value === undefined
  ? 'nothing'
  : typeof value === 'object' || typeof value === 'string' ? `\`${JSON.stringify(value)}\`` : String(value)

function describeRequest ({ method, url, headers, body, meanwhile }: Driven): string {
  const writes = (meanwhile?.writes ?? []).map(write => ` while ${describeRequest(write)}`)
  const shown = ['accept', 'prefer'].filter(name => name in headers).map(name => ` with \`${name}: ${headers[name]}\``)
  return `\`${method} ${decoded(url)}${body === undefined ? '' : ` ${body}`}\`${[...shown, ...writes].join('')}`
}

function decoded (url: string): string {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}

/** Returns the ways that were answered by errors only, and that nobody has allowed. A refusal is an answer. */
export const undrivenOf = ({ ways }: Proved, allow: ReadonlySet<string>): readonly string[] =>
  [...ways].filter(([name, { answered, refused }]) => answered === 0 && refused === 0 && !allow.has(name))
    .map(([name]) => name)

/** Returns sentences on what must be refused, was not, and nobody has allowed. */
export const unrefusedOf = ({ unrefused }: Proved, allow: ReadonlySet<string>): readonly string[] =>
  [...unrefused].filter(([name]) => !allow.has(name)).map(([name, { request, status }]) =>
    `${name}: ${describeRequest(request)} is ${status}, not 403`)

/** Returns the report as Markdown: what was found, what was driven, what was not, and what callers may learn. */
export function writeReport ({ seed, callers, allow, madeUp }: Evidence): string {
  const sum = callers.reduce((total, { requests }) => total + requests, 0)
  const found = callers.flatMap(({ caller, leak }) => leak === undefined ? [] : [describeFound(caller, leak)])
  const each = (lines: (one: Proved) => Iterable<string>) =>
    callers.flatMap(one => [...lines(one)].map(line => `${one.caller}: ${line}`))
  const learnt = Object.entries(learnable).map(([fact, sentence]) => `${fact}: "${sentence}"`)
  return [
    '# What callers can learn',
    found[0] ?? `No difference in ${sum} requests to pairs of worlds that differ in what a caller may not see.`,
    // After a leak nothing more was driven.
    list('Not driven', found.length > 0 ? [] : each(one => undrivenOf(one, allow))),
    list('Changed by who may not read it', each(one => unrefusedOf(one, allow))),
    list('Made up, since only SQL computes them', [...madeUp]),
    list('Worth a look: all items are visible, also those of hidden items', each(({ unscoped }) => unscoped)),
    list('Server errors', each(({ faults }) => [...faults.values()].map(describeRequest))),
    ...callers.map(describeCaller),
    list('Alike in both worlds, since callers may learn it', [...learnt, ...[...allow].map(one => `${one}: allowed`)]),
    `Seed ${seed}; Node.js ${process.version}. Time and logs are not compared. That none was found proves no absence.`
  ].filter(one => one !== '').join('\n\n') + '\n'
}

const describeFound = (caller: string, leak: Leak) => [
  `**${describeLeak(caller, leak)}**`,
  `The answers differ in ${leak.difference.place}:`,
  leak.difference.texts.map(text => `- ${text.slice(0, 400)}`).join('\n')
].join('\n\n')

const list = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.map(line => `- ${line}`).join('\n')}`

function describeCaller ({ caller, requests, ways, changed }: Proved): string {
  const rows = [...ways].map(([name, { sent, answered, refused }]) =>
    `| ${name.replaceAll('|', '\\|')} | ${sent} | ${answered} | ${refused} |`)
  const facts = changed.size === 0 ? 'nothing' : [...changed].sort().join(', ')
  return [
    `## ${caller}: ${requests} requests`,
    `Hidden, and so different in both worlds: ${facts}.`,
    ['| Way | Sent | Answered | Refused |', '|---|---:|---:|---:|', ...rows].join('\n')
  ].join('\n\n')
}
