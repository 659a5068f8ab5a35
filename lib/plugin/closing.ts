import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { isAbandonment } from '../core/errors/abandoned.ts'
import { unavailable } from '../core/errors/errors.ts'
import { logError } from '../core/errors/rejections.ts'

/** What closing the application ends (docs/running.md: Shutdown). */
export interface Closing {
  /** Is true once the application closes. */
  readonly isClosing: boolean
  /** Tracks the stream of a reply until it has ended. */
  trackStream (stream: Readable, reply: FastifyReply): void
  /** A hook `onRequest`: tracks the body of a request until it has come. */
  trackBody (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void
}

/**
 * When the application closes, open streams and bodies that still arrive have `grace` milliseconds to end. Then streams
 * are broken off, which clients see as an error, and bodies are refused as `unavailable`. The connection of a stream is
 * closed after it: Fastify has closed the idle ones by then, and would wait for this one until its keep-alive is over.
 */
export function makeClosing (scope: FastifyInstance, grace: number): Closing {
  const open = new Map<Readable, FastifyReply>()
  const arriving = new Map<FastifyRequest['raw'], FastifyReply>()
  let isClosing = false
  scope.addHook('preClose', done => {
    isClosing = true
    const timer = setTimeout(() => {
      const error = new Error(`the server closed, ${grace} ms after it was told to`)
      for (const stream of open.keys()) stream.destroy(error)
      for (const [raw, reply] of arriving) if (!raw.complete) refuseBody(reply, error)
    }, grace)
    scope.server.once('close', () => { clearTimeout(timer) })
    if (!scope.server.listening) timer.unref()
    done()
  })
  return {
    get isClosing () { return isClosing },
    trackStream (stream, reply) {
      open.set(stream, reply)
      stream.once('error', error => { logBroken(error, reply) })
      stream.once('close', () => { open.delete(stream) })
      reply.raw.once('close', () => { if (isClosing) closeConnection(reply) })
    },
    trackBody ({ raw }, reply, done) {
      arriving.set(raw, reply)
      raw.once('close', () => { arriving.delete(raw) })
      done()
    }
  }
}

/** Logs the error of a stream, whose head has been sent, so that its client cannot be told. */
function logBroken (error: Error, { log, request: { dataApi } }: FastifyReply): void {
  if (isAbandonment(error)) return
  const facts = { err: error.cause ?? error, collection: dataApi?.collection, kind: dataApi?.kind }
  logError(log, facts, 'a stream was broken off')
}

/** Answers a request without its body, unless it was refused before, and closes its connection. */
function refuseBody (reply: FastifyReply, cause: Error): void {
  if (reply.sent) return closeConnection(reply)
  reply.raw.once('finish', () => { closeConnection(reply) })
  reply.send(unavailable(cause, 'The server closes. Nothing was written. Try again later.'))
}

/** Closes the connection of a reply that has been sent. In HTTP/2 the server itself closes its sessions. */
function closeConnection ({ request: { raw } }: FastifyReply): void {
  // The socket of an injected request is none.
  const socket: Partial<Socket> = raw.socket
  if (raw.httpVersionMajor === 1) socket.destroySoon?.()
}
