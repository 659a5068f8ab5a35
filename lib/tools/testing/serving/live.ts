import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ValueGenerator } from '../world/generator.ts'
import type { Follower } from './follow.ts'
import type { AnswerReceived, SentRequest } from './send.ts'
import type { ServedWorld } from './serve.ts'

/** A document that is followed on each database. */
interface Followed { readonly request: SentRequest, readonly followers: readonly Follower[] }

/** A database whose stream does not tell what GET answers, with both answers. */
export interface Stale {
  readonly name: string
  readonly request: SentRequest
  readonly answer: AnswerReceived
  readonly told: AnswerReceived
}

/** Follows some of the documents that are read, and compares what their clients have with what GET answers. */
export class FollowedDocuments {
  private readonly served: readonly ServedWorld[]
  private followed: readonly Followed[] = []

  constructor (served: readonly ServedWorld[]) {
    this.served = served
  }

  /** Follows the document that was read, at times. */
  async begin (generator: ValueGenerator, request: SentRequest, { status, headers }: AnswerReceived): Promise<void> {
    const isJson = /^application\/json/.test(String(headers['content-type']))
    const isRead = request.method === 'GET' && status === 200 && isJson && !/\/openapi\.json/.test(request.url)
    if (!isRead || this.followed.length === most || !generator.chance(25)) return
    const asked = { ...request, headers: {} }
    const followers = await Promise.all(this.served.map(one => one.follow(asked)))
    // The parameter `format` decides before the header.
    if (followers.some(({ isStream }) => isStream)) this.followed = [...this.followed, { request: asked, followers }]
  }

  /** Returns the first stream that does not tell within the time what GET answers. */
  async findStale (): Promise<Stale | undefined> {
    for (const { request, followers } of this.followed) {
      for (const [index, { name, send }] of this.served.entries()) {
        const follower = followers[index]
        if (follower === undefined) continue
        const answer = await send(request)
        for (let left = patience; left > 0 && !tells(follower, answer); left--) await setTimeout(1)
        if (!tells(follower, answer)) return { name, request, answer, told: toldTo(follower) }
      }
    }
    this.followed = this.followed.filter(({ followers }) => !followers.some(hasEnded))
    return undefined
  }
}

// Of each world.
const most = 3

// Turns of the event loop, which are seldom where a machine is busy: about three seconds at least.
const patience = 3000

const hasEnded = ({ events }: Follower) => events.at(-1)?.event === 'end'

function tells (follower: Follower, answer: AnswerReceived): boolean {
  const { events, state: { document, tag } } = follower
  const body = () => JSON.parse(answer.body) as unknown
  if (hasEnded(follower)) return answer.status !== 200 && isDeepStrictEqual(events.at(-1)?.data, body())
  return answer.status === 200 && tag === answer.headers['etag'] && isDeepStrictEqual(document, body())
}

const toldTo = ({ status, events, body, state: { tag } }: Follower): AnswerReceived =>
  ({ status, headers: { etag: tag }, body: events.length > 0 ? JSON.stringify(events) : body })
