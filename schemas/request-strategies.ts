import { type Static, Type } from '@sinclair/typebox'

/** Which requests may write, or group items, for a whole API or for one collection (docs/http.md: Writing, Groups). */
export const requestStrategies = Type.Object({
  /** Whether POST creates items. Default: true if the collection has a writable field. */
  create: Type.Optional(Type.Boolean()),
  /** The methods that update an item. Without any, scalars cannot be written either. Default `['PUT', 'PATCH']`. */
  update: Type.Optional(Type.Array(Type.Union([Type.Literal('PUT'), Type.Literal('PATCH')]), { uniqueItems: true })),
  /** Whether an update creates an item that does not exist, with the identifier in the URL. Default false. */
  upsert: Type.Optional(Type.Boolean()),
  /** Whether DELETE deletes items. Default false. */
  delete: Type.Optional(Type.Boolean()),
  /** Whether an update or deletion without `If-Match` or `If-None-Match` is 428. Default false. */
  requireIfMatch: Type.Optional(Type.Boolean()),
  /** The methods that write all items which a filter finds: updates, deletions, both or none. Default none. */
  bulk: Type.Optional(Type.Array(Type.Union([Type.Literal('PATCH'), Type.Literal('DELETE')]), { uniqueItems: true })),
  /** The methods of writes that are 400 without an `Idempotency-Key`. Default none. */
  requireIdempotencyKey: Type.Optional(Type.Array(Type.Union([
    Type.Literal('POST'), Type.Literal('PUT'), Type.Literal('PATCH'), Type.Literal('DELETE')
  ]), { uniqueItems: true })),
  /**
   * Whether POST to the root runs several writes in one transaction, and the most operations that it takes (100). Of a
   * collection: false if its items cannot be written so. Default false.
   */
  batch: Type.Optional(Type.Union([
    Type.Boolean(),
    Type.Object({ operations: Type.Optional(Type.Integer({ minimum: 1 })) }, { additionalProperties: false })
  ])),
  /** Whether clients can try writes, which run and are rolled back. Default true. */
  dryRun: Type.Optional(Type.Boolean()),
  /** Whether POST takes streams of items, if the option `imports` allows them. Default true. */
  import: Type.Optional(Type.Boolean()),
  /** Whether a selection can make groups of items. Default true. */
  aggregates: Type.Optional(Type.Boolean())
}, { additionalProperties: false })

/** Which requests may write, or group items. */
export type RequestStrategies = Static<typeof requestStrategies>
