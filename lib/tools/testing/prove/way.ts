import type { ValueGenerator } from '../world/generator.ts'
import type { SentRequest } from '../serving/send.ts'
import type { Meanwhile } from './live.ts'

/** A request to drive. One with `meanwhile` follows a document. */
export interface Driven extends SentRequest { readonly meanwhile?: Meanwhile }

/** One thing to drive: a collection, its field and an operator, or one of the doors to them. */
export interface Way {
  /** As reports name it, such as `notes.salary >=`. */
  readonly name: string
  /** How often it is driven beside the others: code of the application is more often wrong. Default 1. */
  readonly weight?: number
  /** True if each request must be refused: the caller may not read the collection at whose URLs it writes. */
  readonly isRefused?: boolean
  /** Returns a request, with other values each time. */
  make (generator: ValueGenerator): Driven
}

/** The weight of a way to code of the application. */
export const ownCode = 4

/** Returns a value of a row, most often one that the caller may not know. */
export type Guess = (generator: ValueGenerator) => unknown

/** Returns a way that reads. `accept`: the media type that is asked for. */
export const read = (name: string, url: (generator: ValueGenerator) => string, accept?: string): Way =>
  ({ name, make: generator => request('GET', url(generator), accept) })

/** Returns a request without a body. */
export const request = (method: string, url: string, accept?: string): SentRequest =>
  ({ method, url, headers: accept === undefined ? {} : { accept } })
