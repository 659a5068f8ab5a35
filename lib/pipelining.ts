import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/*
 * A client that pipelines sends requests before it has the answers to those before them. A server may process them in
 * parallel only if all have safe methods (RFC 9112, 9.3.2). So a write starts when all requests before it on its
 * connection are answered, and a read behind an unanswered write waits likewise. Node gives a response its socket
 * when that moment has come; a request whose response has the socket at once is not pipelined. The streams of HTTP/2
 * are independent.
 */

/** The parts of a Fastify reply that this file uses. */
export interface Reply { readonly raw: ServerResponse, readonly request: { readonly raw: IncomingMessage } }

interface Connection {
  /** The last write that arrived, until it is finished. */
  lastWrite: ServerResponse | undefined
  /** At most one, but for a write that goes on after its timeout. A Set would make a new table for most writes. */
  readonly started: ServerResponse[]
  /** Starts writes that wait, in the order in which they arrived. */
  readonly waiting: Map<ServerResponse, () => void>
  watched: boolean
}

const connections = new WeakMap<Socket, Connection>()

/**
 * Notes that a write has arrived. Must be called before its body is read: a read behind it may have arrived by then.
 */
export function noteWrite ({ raw: response, request: { raw: request } }: Reply): void {
  if (isHttp1(request)) connectionOf(request.socket).lastWrite = response
}

/**
 * Starts a read when all writes before it on its connection are answered. It never starts if the client leaves before
 * that.
 */
export function startRead (reply: Reply, start: () => void): void {
  // The last write may have arrived after the read. Then the read need not wait for its turn, but it does no harm.
  if (!isPipelined(reply) || connections.get(reply.request.raw.socket)?.lastWrite === undefined) start()
  else reply.raw.once('socket', AsyncResource.bind(start))
}

/**
 * Starts a write when all requests before it on its connection are answered. If the client leaves before that, the
 * writes that have arrived still run, one after another: a client may rely on what it has sent. The caller must call
 * `finishWrite` at the end.
 */
export function startWrite (reply: Reply, start: () => void): void {
  const { raw: response, request: { raw: request } } = reply
  if (!isHttp1(request)) {
    start()
    return
  }
  const connection = connectionOf(request.socket)
  if (!isPipelined(reply)) {
    connection.started.push(response)
    start()
    return
  }
  connection.waiting.set(response, AsyncResource.bind(start))
  response.once('socket', () => { startWaiting(connection, response) })
  watch(request.socket, connection)
}

/** Ends a write. If its client has left, the next write of the connection starts. Calling it again does nothing. */
export function finishWrite ({ raw: response, request: { raw: request } }: Reply): void {
  const connection = connections.get(request.socket)
  const index = connection?.started.indexOf(response) ?? -1
  if (connection === undefined || index < 0) return
  connection.started.splice(index, 1)
  if (connection.lastWrite === response) connection.lastWrite = undefined
  if (request.socket.destroyed) startNext(connection)
}

const isHttp1 = ({ httpVersionMajor }: IncomingMessage) => httpVersionMajor === 1

const isPipelined = ({ raw, request }: Reply) => isHttp1(request.raw) && raw.socket === null

function connectionOf (socket: Socket): Connection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const connection: Connection = { lastWrite: undefined, started: [], waiting: new Map(), watched: false }
  connections.set(socket, connection)
  return connection
}

function startWaiting ({ started, waiting }: Connection, response: ServerResponse): void {
  const start = waiting.get(response)
  if (start === undefined) return
  waiting.delete(response)
  started.push(response)
  start()
}

/** A response whose socket closes before its turn is never given the socket. */
function watch (socket: Socket, connection: Connection): void {
  if (socket.destroyed) startNext(connection)
  else if (!connection.watched) socket.once('close', () => { startNext(connection) })
  connection.watched = true
}

function startNext (connection: Connection): void {
  const [first] = connection.waiting.keys()
  if (first !== undefined && connection.started.length === 0) startWaiting(connection, first)
}
