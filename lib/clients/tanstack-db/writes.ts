import { makeBatch } from '../client/batch.ts'
import { told } from '../client/error.ts'
import type { ResourceOrigin } from '../client/resource.ts'
import type { Send } from '../client/send.ts'
import type { ItemRow } from './rows.ts'
import type { Key, Mutation, WrittenTransaction } from './tanstack.ts'

/** How the rows of a collection are written. */
export interface RowWriter extends ResourceOrigin {
  readonly collection: Writes
  readonly mode: 'batch' | 'each' | undefined
  /** The fields of the rows that answers have; undefined for all. */
  readonly fields: readonly unknown[] | undefined
  idOf (key: Key): Key | readonly string[]
  bodyOf (row: ItemRow): object
  /** Shows an item as the answer to a write has it. */
  put (item: ItemRow): void
  drop (key: Key): void
  /** Reads what may have changed. */
  refresh (): void
}

/** A collection of a client, or of a batch, as this file writes to it. */
type Writes = Readonly<Record<'create' | 'update' | 'delete', (...given: unknown[]) => unknown>>

/** The writers of collections, by their `utils`. */
export const writers = new WeakMap<object, RowWriter>()

/**
 * Writes all changes of a transaction, of one collection or of several of one client: as one batch where the API takes
 * batches, else one after the other. It is the `mutationFn` of `createTransaction()`.
 */
export async function writeTransaction ({ transaction: { id, mutations } }: WrittenTransaction): Promise<void> {
  const changes = mutations.map(mutation => ({ mutation, writer: writerOf(mutation) }))
  const [first] = changes
  if (first === undefined) return
  const { writer: { send } } = first
  if (changes.some(({ writer }) => writer.send !== send)) throw new TypeError('one transaction writes by one client')
  try {
    const isBatch = changes.length > 1 && await isOneBatch(changes)
    const { path } = isBatch ? { path: '' } : first.writer
    const hasKeys = await optionsOf(send, path).then(headers => headers.has('idempotency-key'), () => false)
    await (isBatch ? writeAll(changes, hasKeys ? id : undefined) : writeEach(changes, hasKeys ? id : undefined))
  } finally {
    for (const writer of new Set(changes.map(({ writer }) => writer))) writer.refresh()
  }
}

interface Change { readonly mutation: Mutation, readonly writer: RowWriter }

function writerOf ({ collection }: Mutation): RowWriter {
  const writer = writers.get(collection.utils)
  if (writer === undefined) throw new TypeError('a transaction has a collection without dataApiCollectionOptions()')
  return writer
}

async function isOneBatch (changes: readonly Change[]): Promise<boolean> {
  const modes = new Set(changes.map(({ writer }) => writer.mode))
  if (modes.has('each')) return false
  if (modes.has('batch')) return true
  const [{ writer: { send } }] = changes as [Change]
  return (await told(optionsOf(send, '').then(headers => headers.get('allow')))).includes('POST')
}

/** The headers of OPTIONS, by the path. */
const options = new WeakMap<Send, Map<string, Promise<Headers>>>()

function optionsOf (send: Send, path: string): Promise<Headers> {
  const known = options.get(send) ?? new Map<string, Promise<Headers>>()
  options.set(send, known)
  const asked = known.get(path) ?? send({ method: 'OPTIONS', path, query: {} }, async ({ headers }) => headers)
  known.set(path, asked)
  asked.catch(() => known.delete(path))
  return asked
}

async function writeAll (changes: readonly Change[], key: string | undefined): Promise<void> {
  const [{ writer: { send } }] = changes as [Change]
  const results = await makeBatch(send)(batch => {
    for (const { writer, mutation } of changes) write(collectionAt(batch as Path, writer.path), writer, mutation)
    return undefined
  }, { key })
  changes.forEach((change, index) => show(change, results[index]))
}

interface Path { item (values: readonly string[]): Path & Writes }

/** Returns the collection of a batch at a path of a client. */
const collectionAt = (batch: Path, path: string): Writes => path.split('/').slice(1).reduce<Path>(
  (path, segment) => path.item(segment.split(',').map(decodeURIComponent)), batch
) as Path & Writes

async function writeEach (changes: readonly Change[], id: string | undefined): Promise<void> {
  for (const [index, change] of changes.entries()) {
    const { writer, mutation } = change
    const key = id && (index > 0 ? `${id}.${index}` : id)
    show(change, await write(writer.collection, writer, mutation, key))
  }
}

function write (
  to: Writes, { idOf, bodyOf, fields }: RowWriter, { type, key: row, modified, changes }: Mutation, key?: string
): unknown {
  if (type === 'delete') return to.delete(idOf(row), { key })
  const options = { key, returning: fields ?? true }
  if (type === 'insert') return to.create(bodyOf(modified as ItemRow), options)
  return to.update(idOf(row), bodyOf(changes as ItemRow), options)
}

function show ({ writer, mutation: { type, key } }: Change, result: unknown): void {
  if (type === 'delete') writer.drop(key)
  else writer.put(result as ItemRow)
}
