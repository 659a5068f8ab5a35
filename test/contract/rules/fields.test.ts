import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import Fastify from '../../helpers/fastify.ts'
import dataApi, { collection, computed, memory } from '../../../lib/index.ts'
import { flags, rule, red, boss, reader, mayNot, serveThing } from '../../fixtures/company.ts'
import { everybody } from '../../helpers/everybody.ts'
import { notAllowed, validation } from '../../helpers/answers.ts'

// docs/http.md: Rules. Rules of fields decide who may read and write a value.

rule('a field that this caller may not read is as if it were not declared, wherever it can be named or shown', async ({
  t, get, send
}) => {
  // What of the two names stands in an answer is made one.
  const asIs = async (headers: Record<string, string>, name: string) => {
    const urls = [
      `/projects/10/${name}`, `/projects/by_${name}`, `/projects/by_${name}/100`, `/projects?${name}=100`,
      `/projects?where=${name}>1`, `/projects?sort=${name}`, `/projects?fields=${name}`,
      `/teams/1?fields=projects(${name})`, `/teams?projects.${name}=100`, `/teams/1?fields=projects(id;sort=${name})`
    ]
    const reads = await Promise.all(urls.map(url => get(url, headers)))
    const writes = [
      await send('POST', '/projects', { title: 'x', [name]: 1 }, headers),
      await send('PUT', '/projects/10', { [name]: 100 }, headers), await send('PUT', `/projects/10/${name}`, 1, headers)
    ]
    return [...reads, ...writes].map(answer => [answer.statusCode, answer.body.replaceAll(name, 'x')])
  }
  t.strictSame(await asIs(red, 'budget'), await asIs(red, 'nudge_'.slice(0, 6)))
  t.notMatch((await get('/projects/10', red)).body, 'budget')
  t.match((await get('/projects/10', boss)).json(), { budget: 100 })
  t.strictSame((await send('PUT', '/projects/10', { budget: 7 }, boss)).json(), { status: 'ok' })
  t.strictSame((await get('/projects/10/budget', reader)).json(), 7)
})

rule('a tag tells nothing of what the caller may not read', async ({ t, get, send }) => {
  const tag = async (headers: Record<string, string>) => (await get('/projects/10?fields=id', headers)).headers.etag
  const before = [await tag(red), await tag(reader)]
  await send('PUT', '/projects/10/budget', 8, boss)
  t.equal(await tag(red), before[0])
  t.not(await tag(reader), before[1])
  t.not(await tag(red), await tag(reader))
})

rule('a field that may be read but not written is one that cannot be written', async ({ send, same }) => {
  same(await send('PUT', '/projects/10/budget', 1, reader), 405, notAllowed('PUT', 'GET, HEAD, OPTIONS'),
    { allow: 'GET, HEAD, OPTIONS' })
  same(await send('POST', '/projects', { title: 'x', budget: 1 }, reader), 400,
    validation(['/budget', 'cannot be written']))
})

test('computed fields, versions and listed forms have rules as well', async t => {
  const Counted = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ ...flags, listed: true }),
    version: Type.Integer({ readable: true, version: true })
  })
  const app = Fastify()
  const deny = {
    read: ({ request }: { request: { headers: Record<string, unknown> } }) => request.headers['x-role'] === 'boss'
  }
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      counted: collection(Counted, {
        source: memory([{ id: 1, name: 'a', version: 5 }]),
        computed: {
          getLength: computed({
            type: Type.Integer({ readable: true }), from: ['name'], get: ({ name }) => name.length
          })
        },
        rules: { fields: { getLength: deny, version: deny, name: deny } }
      })
    }
  })
  t.strictSame((await app.inject('/counted')).json(), [{ id: 1 }])
  t.strictSame((await app.inject('/counted/1')).json(), { id: 1 })
  t.strictSame((await app.inject({ url: '/counted/1', headers: { 'x-role': 'boss' } })).json(),
    { id: 1, name: 'a', version: 5, length: 1 })
  t.equal((await app.inject('/counted/1/length')).statusCode, 404)
})

test('a field with a setter can be denied', async t => {
  const { app } = await serveThing({
    setters: { name (thing, name) { thing.name = name } }, rules: { fields: { name: { write: () => false } } }
  })
  t.strictSame((await app.inject('/things/1/name')).json(), 'a')
  const answer = await app.inject({
    method: 'PUT', url: '/things/1', headers: { 'content-type': 'application/json' }, payload: '{"name":"x"}'
  })
  t.strictSame([answer.statusCode, (answer.json() as { details: unknown }).details],
    [400, [{ pointer: '/name', message: 'cannot be written, and differs from the current value' }]])
})

test('a value that may be written but not read is not found out by writing it', async t => {
  const Safe = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    pin: Type.String({ writable: true }),
    version: Type.Integer({ readable: true, version: true })
  })
  const called: string[] = []
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody,
    collections: {
      safes: collection(Safe, {
        source: memory([{ id: 1, pin: '1234', version: 1 }]),
        setters: { pin (safe, pin) { called.push(pin); safe.pin = pin } }
      })
    }
  })
  const tags: unknown[] = []
  for (const pin of ['1111', '1111', '1234']) {
    await app.inject({
      method: 'PUT',
      url: '/safes/1',
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      payload: JSON.stringify({ pin })
    })
    tags.push((await app.inject('/safes/1')).json())
  }
  t.strictSame(tags, [{ id: 1, version: 2 }, { id: 1, version: 3 }, { id: 1, version: 4 }])
  t.strictSame(called, ['1111', '1111', '1234'])
})

test('a key that may not be read is not found out by positions made by hand', async t => {
  const { app } = await serveThing({ rules: { fields: { id: { read: () => false } } } })
  const position = (name: string, value: number) => Buffer.from(JSON.stringify([name, value])).toString('base64url')
  const answers = await Promise.all([['id', 1], ['id', 5], ['nothing', 1]].map(([name, value]) =>
    app.inject(`/things?after=${position(String(name), Number(value))}`)))
  const taken = {
    error: 'invalid_page',
    message: "'after' takes a cursor from one of this API's links.",
    parameter: 'after',
    position: 1
  }
  t.strictSame(answers.map(answer => [answer.statusCode, answer.json()]), Array.from({ length: 3 }, () => [400, taken]))
})

rule('no sub-item of an item that may not be read is told by a write at its URL', async ({ send, same }) => {
  const visitor = { ...red, 'x-role': 'visitor', prefer: 'return=representation' }
  for (const [path, body] of [['project', {}], ['project', { title: 'x' }], ['nothing', {}]] as const) {
    same(await send('PUT', `/tasks/20/${path}`, body, visitor), 403, mayNot('read', 'tasks'))
  }
})
