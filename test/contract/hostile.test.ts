import fc, { runsOf } from '../helpers/fast-check.ts'
import type { FastifyInstance } from 'fastify'
import Fastify from '../helpers/fastify.ts'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import dataApi from '../../lib/index.ts'
import { collections, tables } from '../fixtures/music.ts'
import { everySource } from '../helpers/every-source.ts'
import { openers } from '../helpers/sources.ts'

// Whatever is sent: a right answer or a clear 4xx, never a 500.

const runs = runsOf(150)

const pieces = [
  'artists', 'albums', 'tracks', 'labels', 'label', 'owner', 'artist', 'fans', '1', '2', '10', '999', 'Noisia', 'me',
  'name', 'id', 'pin', 'by_name', 'by_id', 'by_year', 'by_pin', 'by_', '__proto__', 'constructor', 'toString', '', '.',
  '..', ';', '%2F', '%252F', '%00', '%0d%0a', '%ff', '%zz', '%E2%82', 'e%CC%81', '%F0%9F%8E%B8', "'", '"', '%22',
  '<script>', '-1', '1e3', '01', '9007199254740993', '*', '?', '%3F', '&', '='
]
const queryPieces = [
  'name', 'age', 'id', 'pin', 'albums.title', 'label', 'where', 'sort', 'fields', 'page', 'size', 'limit', 'offset',
  'after', 'before', '=', '==', '!=', '>', '<=', '^=', '*=', '=*', '!=*', '~=', '(', ')', '!(', ',', ';', '|', '"',
  '\\', '+', '%20', '%2B', '%', '%00', '%ff', '&', '.', '..', 'null', '1', '-1', 'x', "' or 1=1 --",
  '%27%3B%20drop%20table', '__proto__', '{', '[]', 'desc', '\u{1F600}', 'WyJpZCIsMV0', ''
]

const path = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 }).map(encodeURIComponent)),
  { maxLength: 7 }).map(parts => `/${parts.join('/')}`)
const query = fc.array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...queryPieces) }, {
  weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }).map(encodeURIComponent)
}), { maxLength: 14 }).map(parts => parts.join(''))

const expected = new Set([200, 400, 404, 405, 406, 409])

everySource('any path and query of any bytes is answered in JSON, and never by a 500', async ({ app, t, get }) => {
  const before = (await get('/artists?fields=id,name,age,biography&size=100')).body
  await fc.assert(fc.asyncProperty(path, query, fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'POST',
    'PATCH'), async (path, query, method) => {
    const response = await app.inject({ method: method as 'GET', url: `${path}?${query}` })
    if (!expected.has(response.statusCode) && response.statusCode !== 204) {
      throw new Error(`${method} ${path}?${query}: ${response.statusCode} ${response.body}`)
    }
    if (response.body !== '') JSON.parse(response.body)
  }), { numRuns: runs })
  await fc.assert(fc.asyncProperty(query, async query => {
    const response = await app.inject(`/artists?${query}`)
    if (response.statusCode !== 200 && response.statusCode !== 400) {
      throw new Error(`?${query}: ${response.statusCode} ${response.body}`)
    }
  }), { numRuns: runs })
  t.equal((await get('/artists?fields=id,name,age,biography&size=100')).body, before)
})

everySource('SQL in values and names changes nothing', async ({ t, get }) => {
  for (const attack of ["' or '1'='1", "'; drop table artists; --", '" or 1=1', "x') union select 1", '\\', '%', '_']) {
    const value = encodeURIComponent(attack)
    for (const operator of ['=', '!=', '^=', '$=', '*=', '=*', '~=', '>', '<=']) {
      t.equal(
        (await get(`/artists?name${encodeURIComponent(operator)}${value}`)).statusCode, attack.startsWith('"')
          ? 400
          : 200
      )
    }
    t.equal((await get(`/artists/${value}`)).statusCode, 404)
    for (const parameter of ['sort', 'fields', 'where', 'page']) {
      t.equal((await get(`/artists?${parameter}=${value}`)).statusCode, 400)
    }
  }
  t.equal((await get('/artists?size=100')).json().length, 10)
})

async function raw (app: FastifyInstance, text: string): Promise<string> {
  const { port } = app.server.address() as AddressInfo
  const socket = net.connect(port)
  // Not ended: Node drops what a client has asked that is gone already.
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

test('on a socket: targets in absolute form, split headers and odd bytes', async t => {
  const app = Fastify()
  await app.register(dataApi, { prefix: '/api', collections: collections(openers.memory(tables).source) })
  await app.listen({ port: 0 })
  const head = 'Host: h\r\nConnection: close\r\n\r\n'
  t.match(await raw(app, `GET http://evil.org/api/artists/1/name HTTP/1.1\r\n${head}`), /^HTTP\/1\.1 200 [^]*"Noisia"$/)
  t.match(await raw(app, `GET /api/artists/1/name%0d%0aX-Evil:%201 HTTP/1.1\r\n${head}`), /^HTTP\/1\.1 404 /)
  const linked = await raw(app, `GET /api/artists?limit=1&name!=%0d%0aX-Evil:1%e2%82%ac HTTP/1.1\r\n${head}`)
  t.match(linked, /^HTTP\/1\.1 200 [^]*link: <http:\/\/h\/api\/artists\?limit=1&name!=%0D%0AX-Evil%3A1%E2%82%AC&after=/)
  t.notMatch(linked, /\r\nX-Evil/)
  t.match(await raw(app, `GET /api/artists/\xff HTTP/1.1\r\n${head}`), /^HTTP\/1\.1 4\d\d /)
  await app.close()
})
