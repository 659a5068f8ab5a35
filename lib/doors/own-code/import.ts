import { Readable } from 'node:stream'
import { planImport } from '../../core/plan/write/import.ts'
import { slicesTo } from '../../core/plan/write/slices.ts'
import { Receiver } from '../../core/request/import.ts'
import type { Query } from '../../core/request/request.ts'
import { runImport } from '../../core/run/import.ts'
import { sliceOf } from '../../core/sources/source.ts'
import type { Call } from './call.ts'
import { bodyOf } from './items.ts'
import { checkMembers, type Members, placeOf } from './parsed.ts'
import { collectionResource, readable } from './reads.ts'

type Items = Iterable<unknown> | AsyncIterable<unknown>

/** Imports the items of an iterable, all or none, as a request does. Returns the numbers of items. */
export async function importItems (call: Call, items: Items, options: Members): Promise<Members> {
  const { caller, collection, binding: { context, joined, limits: { writes } } } = call
  checkMembers(options, ['merge', 'ignore', 'dryRun'])
  if (joined !== undefined) throw new TypeError('import() has a transaction of its own')
  const { merge, ignore, dryRun } = options
  const denial = caller.denial('create', collection)
  if (denial !== undefined) throw denial
  if (merge !== undefined || ignore !== undefined) readable(call)
  const resolution = merge === undefined ? ignore === undefined ? undefined : 'ignore' : 'merge'
  const failures: unknown[] = []
  const stream = Readable.from(linesOf(items, call, failures))
  const plan = planImport(collectionResource(call), {
    method: 'POST',
    query: queryBy(merge ?? ignore),
    body: { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined },
    conditions: { ifMatch: undefined, ifNoneMatch: undefined },
    represent: false,
    resolution
  }, writes, { format: { media: 'ndjson', escaped: false }, stream })
  const received = await receiver.receive(stream).catch((error: unknown) => { throw failures[0] ?? error })
  try {
    const slices = () => slicesTo(plan, received, { rows: Infinity, slice: sliceOf(collection) })
    const running = { collection, caller, context, dryRun: dryRun === true, refuse: () => undefined, slices }
    const { count, updated, ignored } = await runImport(running)
    return { created: count - updated - ignored, updated, ignored }
  } finally {
    await received.discard()
  }
}

// Own code bounds itself.
const longest = 2 ** 31 - 1
const receiver = new Receiver(
  { bytes: Infinity, rows: Infinity, total: Infinity, idle: longest, time: longest })

/** Returns the items as lines. `failures` gets the error of the iterable. */
async function * linesOf (items: Items, { collection }: Call, failures: unknown[]): AsyncGenerator<Buffer> {
  try {
    let text = ''
    for await (const item of items) {
      text += `${JSON.stringify(bodyOf(item, collection))}\n`
      if (text.length < longestHeld) continue
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(text)
  } catch (error) {
    failures.push(error)
    throw error
  }
}

// In characters.
const longestHeld = 2 ** 16

/** Returns the query of an import that finds items that exist by an identifier. */
function queryBy (name: unknown): Query {
  if (typeof name !== 'string') return { filters: [], page: {}, at: {} }
  const at = placeOf('by')
  const values = [{ text: name, quoted: true, at }]
  return { filters: [{ kind: 'compare', path: ['by'], operator: 'equals', values, at }], page: {}, at: { filter: at } }
}
