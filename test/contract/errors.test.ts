import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, computed, exactly, memory } from '../../lib/index.ts'
import { errorKinds } from '../../lib/core/errors/errors.ts'
import { everySource } from '../helpers/every-source.ts'
import { internal, notAllowed } from '../helpers/answers.ts'

// docs/http.md: Errors

const integer = "The field 'age' takes an integer between -9007199254740991 and 9007199254740991, not "

everySource('an error is JSON: a code for programs, a message for people', async ({ t, get }) => {
  const near = (message: string, suggestion: string) =>
    ({ message: `There is no ${message}. Did you mean '${suggestion}'?`, suggestion })
  const at = (parameter: string, position: number) => ({ parameter, position })
  const wrong: Record<string, [status: number, error: string, more: object]> = {
    '/artists/x': [404, 'identifier_not_found', { message: "An item was not found with the identifier 'x'." }],
    '/artist': [404, 'collection_not_found', near("collection 'artist'", 'artists')],
    '/artists/1/nme': [404, 'field_not_found', near("field 'nme'", 'name')],
    '/artists?ag>1': [400, 'invalid_filter', { ...near("field 'ag' to filter by", 'age'), ...at('ag', 1) }],
    '/artists?where=age=*(1,2)': [400, 'invalid_filter',
      { message: `${integer}'(1'. Outside of a group, a list has no parentheses.`, ...at('where', 6) }],
    '/artists?where=age=1|age=2': [400, 'invalid_filter',
      {
        message: `${integer}'1|age=2'. Filters with '|' between them need parentheses around them.`, ...at('where', 5)
      }],
    '/artists?where=age>2023-03-23T15:50:30+00:00': [400, 'invalid_filter', {
      message: `${integer}'2023-03-23T15:50:30 00:00'. In a URL, '+' is a space; write '%2B'.`, ...at('where', 5)
    }],
    '/artists?sort=nam': [400, 'invalid_sort', { ...near("field 'nam' to sort by", 'name'), ...at('sort', 1) }],
    '/artists?page=0': [400, 'invalid_page',
      { message: "The parameter 'page' takes an integer of at least 1, not '0'.", ...at('page', 1) }]
  }
  for (const [url, [status, error, more]] of Object.entries(wrong)) {
    const response = await get(url)
    const body = { ...status === 404 && { status: 'not_found' }, error, ...more }
    t.strictSame([response.statusCode, response.headers['content-type'], response.json()],
      [status, 'application/json; charset=utf-8', body], url)
  }
})

everySource('what a resource does not take is 405 with Allow', async ({ request, same }) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const) {
    same(await request({ method: method as 'GET', url: '/labels/1' }), 405,
      notAllowed(method, 'GET, HEAD, OPTIONS'), { allow: 'GET, HEAD, OPTIONS' })
  }
  same(await request({ method: 'POST', url: '/labels', headers: { 'content-type': 'text/xml' }, payload: '<a/>' }), 405,
    notAllowed('POST', 'GET, HEAD, OPTIONS, QUERY'), {
      allow: 'GET, HEAD, OPTIONS, QUERY'
    })
  same(await request({ method: 'POST', url: '/nope', payload: {} }), 404,
    { status: 'not_found', error: 'collection_not_found', message: "There is no collection 'nope'." })
})

everySource('a media type that cannot be given is 406', async ({ get, same }) => {
  same(await get('/artists', { accept: 'text/html' }), 406, {
    error: 'not_acceptable',
    message: "No media type in 'Accept' is available here. Available media types: application/json, " +
      'application/x-ndjson, text/csv.'
  })
  same(await get('/artists/1', { accept: 'text/csv' }), 406, {
    error: 'not_acceptable',
    message: "No media type in 'Accept' is available here. Available media types: application/json."
  })
})

everySource('Accept: application/problem+json gives the same facts as problem details', async ({ get, same }) => {
  same(await get('/artists?ag>1', { accept: 'application/json, application/problem+json' }), 400, {
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: "There is no field 'ag' to filter by. Did you mean 'age'?",
    error: 'invalid_filter',
    parameter: 'ag',
    position: 1,
    suggestion: 'age'
  }, { 'content-type': 'application/problem+json; charset=utf-8' })
})

everySource('errors are problem details unless JSON has the greater weight', async ({ get, t }) => {
  const problem = 'application/problem+json; charset=utf-8'
  const plain = 'application/json; charset=utf-8'
  for (const [accept, type] of [
    ['application/problem+json', problem],
    ['application/json;q=0.5, application/problem+json;q=0.5', problem],
    ['application/json;q=0.5, Application/Problem+JSON', problem],
    ['*/*, application/problem+json;q=0.1', problem],
    ['application/json, application/problem+json;q=0.5', plain],
    ['application/json;q=0.3, application/problem+json;q=0.2', plain],
    ['application/json, application/problem+json;q=0', plain],
    ['*/*', plain]
  ] as const) t.equal((await get('/artists/x', { accept })).headers['content-type'], type, accept)
})

everySource('so does configuration', async ({ get, same }) => {
  same(await get('/artists/x'), 404, {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: "An item was not found with the identifier 'x'.",
    error: 'identifier_not_found'
  })
}, { responseContent: { errors: 'problem' } })

everySource('a body over the limit is 413', async ({ request, same }) => {
  same(await request({
    method: 'QUERY' as 'GET',
    url: '/artists',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'x'.repeat(2 ** 20 + 1)
  }), 413, { error: 'content_too_large', message: 'The body is larger than this API accepts.' })
})

function broken (developerErrors: boolean) {
  const Thing = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
  const fail = () => { throw new Error('password=hunter2 in /etc') }
  const app = Fastify()
  app.register(dataApi, {
    responseContent: { developerErrors },
    collections: {
      things: collection(Thing, {
        source: memory([{ id: 1 }]),
        computed: { weight: computed({ type: Type.Integer({ readable: true }), from: ['id'], get: fail }) },
        identifiers: { boom: exactly('boom', fail), odd: exactly('odd', () => ({})) }
      })
    }
  })
  return app
}

test('anything else is 500, telling nothing', async t => {
  const app = broken(false)
  for (const url of ['/things/1', '/things', '/things/boom', '/things/odd', '/things/1/weight']) {
    const response = await app.inject(url)
    t.strictSame([response.statusCode, response.json()],
      [500, internal], url)
  }
})

test('developer errors tell the cause, where they are switched on', async t => {
  const app = broken(true)
  t.match((await app.inject('/things/boom')).json(), { error: 'internal', developer: /Error: password=hunter2/ })
})

test('status stands in errors about the state of a resource and not in those about what the client sent', async t => {
  for (const [code, { status, ...more }] of Object.entries(errorKinds)) {
    t.equal('state' in more, status === 404 || status === 409 || status === 412, code)
  }
})
