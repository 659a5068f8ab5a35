import cors from '@fastify/cors'
import { Type } from '@sinclair/typebox'
import type { InjectOptions } from 'fastify'
import fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../lib/index.ts'

// docs/http.md: Writing. No request that a browser sends without asking first writes anything.

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true, writable: true, default: 'x' })
})

async function serve ({ explorer = false } = {}) {
  const app = fastify()
  await app.register(cors, { origin: 'https://friend.example', methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] })
  await app.register(dataApi, {
    explorer,
    requestStrategies: { delete: true, upsert: true },
    collections: { notes: collection(Note, { source: memory([{ id: 1, text: 'a' }, { id: 2, text: 'b' }]) }) }
  })
  return {
    app,
    async send (options: InjectOptions) {
      const before = (await app.inject('/notes')).body
      const { statusCode, body } = await app.inject(options)
      const changed = (await app.inject('/notes')).body !== before
      return { status: statusCode, error: (JSON.parse(body) as { readonly error?: string }).error, changed }
    }
  }
}

const writes = [
  { method: 'POST', url: '/notes', payload: '{}' }, { method: 'PUT', url: '/notes/1', payload: '{"text":"c"}' },
  { method: 'PATCH', url: '/notes/1', payload: '{"text":"d"}' }, { method: 'PATCH', url: '/notes/9', payload: '{}' },
  { method: 'PUT', url: '/notes/1/text', payload: '"e"' }, { method: 'DELETE', url: '/notes/2', payload: '{}' }
] as const

const otherTypes = [
  'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml',
  'application/vnd.api+json', 'application/jsonp',
  'application/json; charset=utf-16', 'application/merge-patch+json; charset=latin1', 'text/json', 'x', ''
]
// Browsers ask before they send it.
const patch = 'application/merge-patch+json'
const json = ['application/json', 'application/json; charset=utf-8']

test('a write of a media type other than JSON is 415, with a body, an empty one and none', async t => {
  const { send } = await serve()
  for (const { method, url, payload } of writes) {
    for (const type of method === 'PATCH' ? otherTypes : [...otherTypes, patch]) {
      for (const [headers, body] of [[{}, payload], [{ 'content-length': '0' }, undefined], [{}, undefined]] as const) {
        t.strictSame(await send({
          method, url, headers: { 'content-type': type, ...headers }, ...body !== undefined && { payload: body }
        }), { status: 415, error: 'unsupported_media_type', changed: false }, `${method} ${url} ${type} ${body}`)
      }
    }
  }
})

test('a write without a body is 400, unless it deletes', async t => {
  for (const { method, url } of writes) {
    for (const headers of [{}, ...json.map(type => ({ 'content-type': type }))]) {
      for (const length of [{}, { 'content-length': '0' }]) {
        const { send } = await serve()
        t.strictSame(await send({ method, url, headers: { ...headers, ...length } }), method === 'DELETE'
          ? { status: 200, error: undefined, changed: true }
          : { status: 400, error: 'malformed_body', changed: false }, `${method} ${url} ${JSON.stringify(headers)}`)
      }
    }
  }
})

test('an empty object creates an item whose fields all have defaults', async t => {
  const { send } = await serve()
  const headers = { 'content-type': 'application/json' }
  t.strictSame(await send({ method: 'POST', url: '/notes', headers, payload: '{}' }),
    { status: 201, error: undefined, changed: true })
})

test('a write of another site is 403, unless CORS allowed it', async t => {
  for (const explorer of [false, true]) {
    for (const site of ['cross-site', 'same-site', 'same-origin', 'none', undefined]) {
      for (const mode of ['cors', 'no-cors', 'navigate', 'same-origin', undefined]) {
        const { send } = await serve({ explorer })
        const fetched = {
          'content-type': 'application/json',
          ...site !== undefined && { 'sec-fetch-site': site },
          ...mode !== undefined && { 'sec-fetch-mode': mode }
        }
        const isRefused = site === 'cross-site' && mode !== 'cors'
        for (const { method, url, payload } of writes) {
          const { status, error, changed } = await send({ method, url, headers: fetched, payload })
          const done = method === 'POST' || url === '/notes/9' ? 201 : 200
          t.strictSame([status, error, changed], isRefused ? [403, 'forbidden', false] : [done, undefined, true],
            `${method} ${url} ${site} ${mode}`)
        }
      }
    }
  }
})

test('reads of other sites are what CORS makes of them', async t => {
  const { app } = await serve()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [method, own] of [
    ['GET', {}], ['HEAD', {}], ['QUERY', form], ['POST', { ...form, 'x-http-method-override': 'QUERY' }]
  ] as const) {
    const { statusCode } = await app.inject({
      method: method as 'GET',
      url: '/notes',
      headers: {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'no-cors',
        ...own
      }
    })
    t.equal(statusCode, 200, method)
  }
  const { headers, statusCode } = await app.inject({
    method: 'OPTIONS',
    url: '/notes/1',
    headers: {
      origin: 'https://friend.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'content-type'
    }
  })
  t.strictSame([statusCode, headers['access-control-allow-origin']], [204, 'https://friend.example'])
})
