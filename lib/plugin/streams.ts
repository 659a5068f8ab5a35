import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { logError } from '../errors/log-error.ts'

/** Tracks the streams of a scope, so that closing the application ends them. */
export interface Streams {
  /** Is true once the application closes. */
  readonly isClosing: boolean
  /** Tracks the stream of a reply until it has ended. */
  track (stream: Readable, reply: FastifyReply): void
}

/**
 * Returns the streams of a scope. When the application closes, they have `grace` milliseconds to end; then they are
 * broken off, which clients see as an error. The connection of a stream is closed after it: Fastify has closed the idle
 * ones by then, and would wait for this one until its keep-alive is over.
 */
export function trackStreams (scope: FastifyInstance, grace: number): Streams {
  const open = new Map<Readable, FastifyReply>()
  let isClosing = false
  scope.addHook('preClose', done => {
    isClosing = true
    const timer = setTimeout(() => {
      for (const stream of open.keys()) stream.destroy(new Error(`the server closed, ${grace} ms after it was told to`))
    }, grace)
    scope.server.once('close', () => { clearTimeout(timer) })
    if (!scope.server.listening) timer.unref()
    done()
  })
  return {
    get isClosing () { return isClosing },
    track (stream, reply) {
      open.set(stream, reply)
      stream.once('error', error => { logBroken(error, reply) })
      stream.once('close', () => { open.delete(stream) })
      reply.raw.once('close', () => { if (isClosing) closeConnection(reply) })
    }
  }
}

/** Logs the error of a stream, whose head has been sent, so that its client cannot be told. */
function logBroken (error: Error, { log, request: { dataApi } }: FastifyReply): void {
  const facts = { err: error.cause ?? error, collection: dataApi?.collection, kind: dataApi?.kind }
  logError(log, facts, 'a stream was broken off')
}

/** Closes the connection of a reply that has been sent. In HTTP/2 the server itself closes its sessions. */
function closeConnection ({ request: { raw } }: FastifyReply): void {
  // The socket of an injected request is none.
  const socket: Partial<Socket> = raw.socket
  if (raw.httpVersionMajor === 1) socket.destroySoon?.()
}
