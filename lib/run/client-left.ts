import type { Http2ServerRequest } from 'node:http2'
import type { Context } from '../declare/collection.ts'

/** Returns true once the client of a request has left. In HTTP/2 it ends the stream, and the connection remains. */
export const hasLeft = ({ raw }: Context['request']): boolean =>
  raw.httpVersionMajor === 2 ? (raw as unknown as Http2ServerRequest).stream.destroyed : raw.socket.destroyed
