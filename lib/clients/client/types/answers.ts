import type { Api } from './api.ts'
import type { Chosen, Fields, Full } from './fields.ts'

export type FieldsGiven<A extends Api<A>, K extends keyof A> = Fields<A, K> | undefined

export type Returning<A extends Api<A>, K extends keyof A> = true | FieldsGiven<A, K>

/** The answer to a write: what `returning` asks for, otherwise `D`. */
export type WriteAnswer<A extends Api<A>, K extends keyof A, R, D> =
  [R] extends [undefined] ? D : R extends true ? Full<A, K> : Chosen<A, K, R, D>

/** The names of functions; a relation of such a name is reached through resource(). */
export type Reserved =
  | 'list' | 'stream' | 'live' | 'count' | 'groups' | 'allowed' | 'create' | 'replace' | 'get' | 'update' | 'upsert'
  | 'delete' | 'updateEach' | 'updateMany' | 'deleteMany' | 'item' | 'by' | 'resource' | 'then'
