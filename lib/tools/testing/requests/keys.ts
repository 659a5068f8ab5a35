import type { ValueGenerator } from '../world/generator.ts'
import type { SentRequest } from '../serving/send.ts'

/** Adds an `Idempotency-Key` to a request. There are few, so that different writes get the same one. */
export function withKey (generator: ValueGenerator, sent: SentRequest): SentRequest {
  const key = generator.weighted([16, `k${generator.below(20)}`], [1, '"quoted"'], [1, 'with a space'])
  return { ...sent, headers: { ...sent.headers, 'idempotency-key': key } }
}
