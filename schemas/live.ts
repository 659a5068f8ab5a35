import { type Static, Type } from '@sinclair/typebox'

const milliseconds = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })

/** The options of live documents. Times are in milliseconds, but for `lifetime`. */
export const liveOptions = Type.Object({
  /** The least time between two reads of a document. Default 100. */
  interval: Type.Optional(milliseconds),
  /** The time after which a document is read again whatever its source has told. Default 60000. */
  recheck: Type.Optional(milliseconds),
  /** The time between two comments, which keep a connection open. Default 15000. */
  heartbeat: Type.Optional(milliseconds),
  /** The seconds after which a stream ends, and its client sends a new request. Default 900. */
  lifetime: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The bytes of a stream that may wait for its client before events are left out. Default 65536. */
  buffer: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The most open streams; one more is 503. Default 10000. */
  max: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The most characters of a document; a longer one is 400. Default 1048576. */
  longest: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The collections whose documents are live, by their names in the application. Default: all, and the directory. */
  collections: Type.Optional(Type.Array(Type.String()))
}, { additionalProperties: false })

/** The options of live documents. */
export type LiveOptions = Static<typeof liveOptions>
