import { createServer, type IncomingHttpHeaders, request as forward, type Server } from 'node:http'
import { constants, createGzip } from 'node:zlib'

// A proxy as many stand before servers: it knows the classical methods, compresses, and weakens the tags of what it
// compresses. Tests use it; nginx.conf is one for machines.

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Makes a proxy of the server at a URL, which it asks for at each request. */
export const makeProxy = (serverOf: () => string): Server => createServer((asked, answer) => {
  const { method = '', url: path, headers, socket: { remoteAddress = '' } } = asked
  if (!methods.includes(method)) {
    answer.writeHead(405, { 'content-type': 'text/html' }).end('<h1>405 Not Allowed</h1>')
    return
  }
  const known = {
    ...headers,
    'x-forwarded-for': remoteAddress,
    'x-forwarded-host': headers.host ?? '',
    'x-forwarded-proto': 'http'
  }
  const passed = forward(new URL(serverOf()), { method, path, headers: known }, response => {
    const { statusCode = 0, headers: told } = response
    const isCompressed = takesGzip(headers) && method !== 'HEAD' && isText(told)
    answer.writeHead(statusCode, isCompressed ? compressed(told) : told)
    // The first event of a stream may be long in coming.
    answer.flushHeaders()
    response.on('error', () => answer.destroy())
    if (!isCompressed) response.pipe(answer)
    else response.pipe(createGzip({ flush: constants.Z_SYNC_FLUSH })).pipe(answer)
  })
  passed.on('error', () => {
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
  })
  answer.on('close', () => passed.destroy())
  asked.pipe(passed)
})

const takesGzip = (headers: IncomingHttpHeaders): boolean => /\bgzip\b/.test(String(headers['accept-encoding']))

const isText = (headers: IncomingHttpHeaders): boolean =>
  headers['content-encoding'] === undefined && /json|csv|html|javascript|css/.test(headers['content-type'] ?? '')

/** The headers of an answer that is compressed: it has other bytes, and so a tag that is weak. */
function compressed ({ 'content-length': _, etag, ...others }: IncomingHttpHeaders): IncomingHttpHeaders {
  const vary = [others.vary, 'Accept-Encoding'].filter(Boolean).join(', ')
  return { ...others, ...etag && { etag: etag.replace(/^(?!W\/)/, 'W/') }, vary, 'content-encoding': 'gzip' }
}
