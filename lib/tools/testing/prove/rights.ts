import type { FastifyInstance } from 'fastify'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Api } from '../../../core/api/answer.ts'
import { DeclarationError } from '../../../core/errors/errors.ts'
import { rightsIn } from '../../../core/rules/rights.ts'
import { standIns } from '../../../plugin/stand-ins.ts'
import { encodeText } from '../requests/resources.ts'
import { type KnownCaller, watch } from './callers.ts'

/** A caller whose rights are asked for: the headers by which the application knows it. */
export interface RightsCaller { readonly headers?: Readonly<Record<string, string>> }

/** Callers by their names, or a function that makes them for the application, such as tokens. */
export type RightsCallers = Readonly<Record<string, RightsCaller>> |
  ((app: FastifyInstance) => Readonly<Record<string, RightsCaller>> | Promise<Readonly<Record<string, RightsCaller>>>)

/** The rights of callers, by collections, as sentences: `read some, create, update some`. */
export interface Rights { readonly [collection: string]: RightsOfCollection }

interface RightsOfCollection {
  /** By the names of callers. */
  readonly callers: Readonly<Record<string, string>>
  /** Who may read and write each field: the names of callers, `everybody` or `nobody`. */
  readonly fields: Readonly<Record<string, { readonly read: string, readonly write: string }>>
}

/**
 * Returns what callers may do to the collections of an application (docs/testing.md: Rights). Asks its hooks, rules and
 * scopes by a request for each collection, which reads no data. `app` builds the application, which may not be ready
 * yet. Throws a DeclarationError for an application without an API, and an Error for a caller whom it refuses.
 */
export async function readRights (
  app: () => FastifyInstance | Promise<FastifyInstance>, callers: RightsCallers = {}
): Promise<Rights> {
  const apis: WatchedApi[] = []
  const registering = (prefix: string) => {
    const known = new Map<string, KnownCaller>()
    return {
      callers: (all: Api['callers']) => watch(all, known),
      registered: (api: Api) => { apis.push({ prefix, api, known }) }
    }
  }
  const built = await standIns.run({ registering }, async () => {
    const one = await app()
    await one.ready()
    return one
  })
  try {
    if (apis.length === 0) throw new DeclarationError('rights: the application does not register fastify-data-api')
    const asked = typeof callers === 'function' ? await callers(built) : callers
    const told = new Map<string, ReadonlyMap<string, CollectionRights>>()
    for (const [name, caller] of Object.entries({ visitor: {}, ...asked })) {
      told.set(name, await askFor(name, caller, built, apis))
    }
    return toRights(told)
  } finally {
    await built.close()
  }
}

type CollectionRights = ReturnType<typeof rightsIn>[number]

interface WatchedApi { readonly prefix: string, readonly api: Api, readonly known: Map<string, KnownCaller> }

/** Returns the rights of a caller by the paths of collections. A visitor whom the application refuses has none. */
async function askFor (
  name: string, { headers = {} }: RightsCaller, app: FastifyInstance, apis: readonly WatchedApi[]
): Promise<ReadonlyMap<string, CollectionRights>> {
  const rights = new Map<string, CollectionRights>()
  for (const { prefix, api: { model }, known } of apis) {
    known.clear()
    for (const collection of model.collections.keys()) {
      // The rules are asked before the query is parsed, and a wrong query reads no data.
      const url = `${prefix}/${encodeText(collection)}?${wrongQuery}`
      const { statusCode, body } = await app.inject({ method: 'GET', url, headers: { ...headers } })
      if (known.has(collection) || name === 'visitor') continue
      throw new Error(`rights: the application refused ${name} at ${prefix}/${collection} (${statusCode} ${body})`)
    }
    for (const one of rightsIn(model.collections.values(), of => known.get(of)?.caller)) {
      rights.set(apis.length === 1 ? one.collection : `${prefix}/${one.collection}`, one)
    }
  }
  return rights
}

const wrongQuery = 'size=none'

function toRights (told: ReadonlyMap<string, ReadonlyMap<string, CollectionRights>>): Rights {
  const [first = new Map<string, CollectionRights>()] = told.values()
  return Object.fromEntries([...first].map(([collection, { fields }]) => {
    const each = [...told].flatMap(([name, rights]) => {
      const one = rights.get(collection)
      return one === undefined ? [] : [[name, one] as const]
    })
    return [collection, {
      callers: Object.fromEntries(each.map(([name, one]) => [name, describeRights(one)])),
      fields: Object.fromEntries(fields.map(({ name }) => [name, {
        read: namesOf(each, name, 'read'), write: namesOf(each, name, 'write')
      }]))
    }]
  }))
}

const operations = ['read', 'create', 'update', 'delete'] as const

const describeRights = (rights: CollectionRights): string =>
  operations.flatMap(operation => sayRight(operation, rights[operation])).join(', ') || 'nothing'

/** A scope decides what is a caller's own to read; what may be done to an item may depend on a rule besides. */
const sayRight = (word: string, right: CollectionRights['read']) =>
  right === 'no' ? [] : [right === 'yes' ? word : `${word} ${word === 'read' ? 'own' : 'by item'}`]

/** Returns the names of those who may read or write a field. */
function namesOf (
  each: ReadonlyArray<readonly [string, CollectionRights]>, field: string, operation: 'read' | 'write'
): string {
  const rights = each.map(([name, { fields }]) => {
    const found = fields.find(one => one.name === field)
    return [name, found?.[operation] ?? 'no'] as const
  })
  const allowed = rights.flatMap(([name, right]) => sayRight(name, right))
  if (allowed.length === 0) return 'nobody'
  return rights.every(([, right]) => right === 'yes') ? 'everybody' : allowed.join(', ')
}

/** Returns the rights as tables of Markdown: the second has the fields whose rights are not alike for all callers. */
export function describeInMarkdown (rights: Rights): string {
  const callers = Object.keys(Object.values(rights)[0]?.callers ?? {})
  const rows = Object.entries(rights).map(([name, one]) => [name, ...callers.map(caller => one.callers[caller] ?? '')])
  const fields = Object.entries(rights).flatMap(([name, one]) => Object.entries(one.fields).flatMap(
    ([field, { read, write }]) => [read, write].some(isDiffering) ? [[`${name}.${field}`, read, write]] : []))
  return [
    tableOf(['', ...callers], rows), ...fields.length > 0 ? [tableOf(['Field', 'Read', 'Write'], fields)] : []
  ].join('\n')
}

const isDiffering = (names: string) => names !== 'everybody' && names !== 'nobody'

/** Returns a table whose columns are aligned, for who reads it as text. */
function tableOf (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [head, ...rows].map(cells => cells.map(text => text.replaceAll('|', '\\|')))
  const widths = head.map((_, at) => all.reduce((most, cells) => Math.max(most, cells[at]?.length ?? 0), 3))
  const [first = '', ...others] = all.map(cells =>
    `| ${cells.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |\n`)
  return [first, `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |\n`, ...others].join('')
}

/** Returns the rights as JSON, in which each caller and each field has a line. */
export const toJson = (rights: Rights): string =>
  `${JSON.stringify(rights, null, 2).replaceAll(/\{\s+("read": .*)\s+("write": .*)\s+\}/g, '{ $1 $2 }')}\n`

/**
 * Compares the rights of callers with those in a file of JSON, which `UPDATE_RIGHTS=1` writes. Throws an Error that has
 * the lines which differ, or for a file that is not there.
 */
export async function expectRights (
  app: () => FastifyInstance | Promise<FastifyInstance>, callers: RightsCallers, file: string | URL
): Promise<void> {
  const now = toJson(await readRights(app, callers))
  if (process.env['UPDATE_RIGHTS'] === '1') {
    writeFileSync(file, now)
    return
  }
  if (!existsSync(file)) throw new Error(`There is no file '${String(file)}'; UPDATE_RIGHTS=1 writes it`)
  const lines = differing(readFileSync(file, 'utf8'), now)
  if (lines.length === 0) return
  throw new Error(`What callers may do is not what '${String(file)}' says; UPDATE_RIGHTS=1 accepts it:\n` +
    lines.join('\n'))
}

/** Returns the sentences of two files that differ: `- tickets, agent: read`, and the same with `+`. */
function differing (before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map(text => sentencesIn(JSON.parse(text) as Rights))
  const names = new Set([...old?.keys() ?? [], ...now?.keys() ?? []])
  return [...names].flatMap(name => {
    const [was, is] = [old?.get(name), now?.get(name)]
    if (was === is) return []
    return [...was === undefined ? [] : [`- ${name}: ${was}`], ...is === undefined ? [] : [`+ ${name}: ${is}`]]
  })
}

const sentencesIn = (rights: Rights): ReadonlyMap<string, string> =>
  new Map(Object.entries(rights).flatMap(([collection, { callers, fields }]) => [
    ...Object.entries(callers).map(([name, text]) => [`${collection}, ${name}`, text] as const),
    ...Object.entries(fields).map(([name, { read, write }]) =>
      [`${collection}.${name}`, `read ${read}; write ${write}`] as const)
  ]))
