import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { collection, type Context, type Declared } from '../declare/collection.ts'
import type { Source } from '../declare/source.ts'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import { invalidIdempotencyKey } from '../errors/idempotency.ts'
import { compileModel } from '../model/compile.ts'
import type { Collection, Model } from '../model/model.ts'
import { stringType } from '../model/values.ts'
import { isMergePatch, mergePatchType } from '../request/body.ts'
import { parseIdempotencyKey } from '../request/idempotency-key.ts'
import type { RequestText } from '../request/parse.ts'
import type { KeyTable, WriteKey } from '../run/keys.ts'
import { memory } from '../sources/memory/memory.ts'
import { type Database, databaseOf, type DataSource } from '../sources/source.ts'
import type { Options } from './options.ts'

/** The keys of one registration (docs/http.md: Idempotency keys). */
export interface Keys {
  readonly tables: readonly KeyTable[]
  /** Returns true if the caller may send keys. */
  isFor (context: Context): boolean
  /**
   * Returns the key of writes to these collections, which share a database; undefined for a request without one. Throws
   * invalid_idempotency_key, also for a caller who is not known.
   */
  of (text: RequestText, written: readonly Collection[], context: Context): WriteKey | undefined
}

export const collectionsOf = (keys: Keys | undefined): readonly Collection[] =>
  keys?.tables.map(({ collection }) => collection) ?? []

const written = { writable: true }

const Key = Type.Object({
  caller: Type.String(written),
  key: Type.String(written),
  fingerprint: Type.String(written),
  results: Type.Optional(Type.String()),
  at: Type.String({ format: 'date-time', indexed: true, ...written })
})

/**
 * Makes the keys of collections; undefined without the option. Throws a DeclarationError if a database of writes has no
 * table of keys, and if rules tell callers apart (`personal`), but no option does.
 */
export function makeKeys (
  declared: Readonly<Record<string, Declared>>, model: Model, personal: boolean,
  { idempotency, site }: Pick<Options, 'idempotency' | 'site'>
): Keys | undefined {
  if (idempotency === undefined) return refuseRequired(model)
  const { caller: callerOf, expires, tables: given } = idempotency
  if (personal && callerOf === undefined) {
    const reason = 'is needed where collections have rules or a scope: strangers must not get the answers of others'
    throw new DeclarationError(`option 'idempotency.caller': ${reason}`)
  }
  const tables = tablesFor(declared, given, expires)
  const ownerIn = (context: Context) => callerOf === undefined ? '' : nameOf(callerOf(context))
  return {
    tables: [...tables.values()],
    isFor: context => ownerIn(context) !== undefined,
    of (text, written, context) {
      if (text.idempotencyKey === undefined) return undefined
      const key = parseIdempotencyKey(text.idempotencyKey)
      const caller = ownerIn(context)
      if (caller === undefined) {
        throw invalidIdempotencyKey("'Idempotency-Key' is for known callers only. Log in, or send none.")
      }
      const [first] = written
      const table = first && tables.get(databaseOf(first))
      // A batch without an operation writes nothing.
      if (table === undefined) return undefined
      // A server that starts again, on another port, is the same.
      const host = (site?.origin ?? text.origin()).replace(/:\d+$/, '')
      const target = [host, ...written.map(({ source }) => source.tableName)]
      return { table, caller, key, fingerprint: fingerprintOf(text, target) }
    }
  }
}

/** Returns the tables of keys by the database whose writes they are for. `expires`: in seconds. */
function tablesFor (
  declared: Readonly<Record<string, Declared>>, given: readonly Source[], expires: number
): ReadonlyMap<Database, KeyTable> {
  const tables = new Map<Database, KeyTable>()
  for (const [name, one] of Object.entries(declared)) {
    const database = databaseOf(one)
    if (tables.has(database) || database.readOnly === true) continue
    const source = tableFor(database, given)
    if (source === undefined) {
      const reason = `has no table of the database of collection '${name}'; its writes could not be repeated`
      throw new DeclarationError(`option 'idempotency.table': ${reason}`)
    }
    tables.set(database, { collection: compileTable(source), expires: expires * 1000 })
  }
  return tables
}

/**
 * Returns what the option `caller` returns as a text that differs for every two callers; undefined for a caller who is
 * not known. Throws a DeclarationError for what names nobody: all for whom it is the same would share their answers.
 */
function nameOf (caller: unknown): string | undefined {
  if (caller === undefined || caller === null) return undefined
  // The number 1 and the text '1' are two callers.
  if (Number.isFinite(caller)) return `#${String(caller)}`
  const isName = typeof caller === 'string' && caller !== '' && caller.length <= longestName
  if (isName && stringType.parse(caller) !== undefined) return caller.startsWith('#') ? `#${caller}` : caller
  // Its rejection would end the process.
  if (caller instanceof Promise) caller.catch(() => {})
  const expected = `a finite number, or a text of 1 to ${longestName} characters without NUL and halves of surrogates`
  const found = caller instanceof Promise ? 'a promise' : describeValue(caller)
  throw new DeclarationError(`option 'idempotency.caller', its result: expected ${expected}; found ${found}`)
}

// In characters. PostgreSQL indexes no values above 2,704 bytes.
const longestName = 500

function refuseRequired ({ collections }: Model): undefined {
  for (const { property, strategies } of collections.values()) {
    if (strategies.requireIdempotencyKey.length === 0) continue
    const place = `collection '${property}': requestStrategies.requireIdempotencyKey`
    throw new DeclarationError(`${place} needs the option 'idempotency'`)
  }
}

/** The keys of memory() are lost with the process, as its data is. */
function tableFor (database: Database, given: readonly Source[]): Source | undefined {
  const found = given.find(source => (source as DataSource).database === database)
  if (found !== undefined) return found
  const own = memory([])
  return own.database === database ? own : undefined
}

function compileTable (source: Source): Collection {
  const keys = collection(Key, { source, key: ['caller', 'key'] })
  const pages = { defaultSize: 100, maxSize: 1000 }
  const options = { naming: 'none', pages, reserved: new Map(), own: 'open' } as const
  const [compiled] = compileModel({ idempotency: keys }, options).collections.values()
  if (compiled === undefined) throw new TypeError('a model has the collections that it is compiled of')
  return compiled
}

/**
 * Returns a text that is equal for equal requests: a hash of all that decides what a write does and answers. `target`:
 * where the URL leads, as applications with the same paths may share a table of keys.
 */
function fingerprintOf (
  { method, url, ifMatch, ifNoneMatch, prefer, body }: RequestText, target: ReadonlyArray<string | undefined>
): string {
  // No other media type is that of a write with a key.
  const type = isMergePatch(body) ? [mergePatchType] : []
  const hash = createHash('sha256').update(JSON.stringify([target, method, url, ifMatch, ifNoneMatch, prefer, ...type]))
  return hash.update(body.bytes ?? JSON.stringify(body.value) ?? '').digest('base64url')
}
