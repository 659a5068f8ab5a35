import { Readable } from 'node:stream'
import { identifierNotFound } from '../../errors/errors.ts'
import { planImport } from '../../plan/write/import.ts'
import { slicesTo } from '../../plan/write/slices.ts'
import { Receiver } from '../../request/receive.ts'
import type { Query } from '../../request/request.ts'
import { runImport } from '../../run/import.ts'
import { sliceOf } from '../../sources/source.ts'
import type { Members, OwnImport, OwnItems } from '../own-face.ts'
import type { OwnCall } from './call.ts'
import { bodyOf } from './items.ts'
import { collectionResource, allowRead } from './reads.ts'

type Items = Parameters<OwnItems['import']>[0]

/** Imports the items of an iterable, all or none, as a request does. Returns the numbers of items. */
export async function importItems (
  call: OwnCall, items: Items, { resolution, by, dryRun }: OwnImport
): Promise<Members> {
  const { caller, collection, binding: { context, joined, limits: { writes } } } = call
  if (joined !== undefined) throw new TypeError('import() has a transaction of its own')
  const denial = caller.denial('create', collection)
  if (denial !== undefined) throw denial
  if (resolution !== undefined) allowRead(call)
  const failures: unknown[] = []
  const stream = Readable.from(linesOf(items, call, failures))
  const plan = planImport(collectionResource(call), {
    method: 'POST',
    query: queryBy(by),
    body: { contentType: undefined, bytes: undefined, value: undefined, refusal: undefined },
    conditions: { ifMatch: undefined, ifNoneMatch: undefined },
    represent: false,
    resolution
  }, writes, { format: { media: 'ndjson', escaped: false }, stream })
  const received = await receiver.receive(stream).catch((error: unknown) => { throw failures[0] ?? error })
  try {
    const slices = () => slicesTo(plan, received, { rows: Infinity, slice: sliceOf(collection) })
    // Another request has created the item of a line, and deleted it again.
    const refuse: Parameters<typeof runImport>[0]['refuse'] = ({ write: { walked } }) => {
      throw identifierNotFound(walked[0]?.segment ?? '')
    }
    const running = { collection, caller, context, dryRun, refuse, slices }
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
async function * linesOf (items: Items, { collection }: OwnCall, failures: unknown[]): AsyncGenerator<Buffer> {
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
function queryBy (name: string | undefined): Query {
  if (name === undefined) return { filters: [], page: {}, at: {} }
  const at = { parameter: 'by', position: 1 }
  const values = [{ text: name, quoted: true, at }]
  return { filters: [{ kind: 'compare', path: ['by'], operator: 'equals', values, at }], page: {}, at: { filter: at } }
}
