import { Type } from '@sinclair/typebox'
import Fastify from '../../helpers/fastify.ts'
import fc from 'fast-check'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../../lib/index.ts'

// docs/http.md: Writing. A body that gives a member twice is 400.

const flags = { readable: true, writable: true }

async function open () {
  const app = Fastify()
  await app.register(dataApi, {
    imports: true,
    requestStrategies: { batch: true },
    collections: {
      docs: collection(Type.Object({
        id: Type.Integer({ identifier: true, readable: true }),
        n: Type.Optional(Type.Integer(flags)),
        free: Type.Optional(Type.Unknown(flags))
      }), { source: memory([{ id: 1, n: 0, free: null }]) })
    }
  })
  const send = (method: 'POST' | 'PUT' | 'PATCH', url: string, payload: string, type = 'application/json') =>
    app.inject({ method, url, payload, headers: { 'content-type': type } })
  return { app, send }
}

const twice = (pointer: string, named = `'${pointer.slice(pointer.lastIndexOf('/') + 1)}'`) => ({
  error: 'malformed_body', message: `The body has the member ${named} twice in one object; send it once.`, pointer
})

test('a body with a member twice is 400, and its pointer leads to the member', async t => {
  const { app, send } = await open()
  for (const [method, url, body, pointer, named] of [
    ['PATCH', '/docs/1', '{"n":1,"n":2}', '/n'],
    ['PUT', '/docs/1', '{"n":1,"\\u006e":1}', '/n'],
    ['POST', '/docs', '[{"n":1},{"n":1,"free":[0,{"a" \n:"x:\\"y\\":","b":{},"a":2}]}]', '/1/free/1/a'],
    ['PUT', '/docs/1/free', '[[],[{"b":1}, {"\\\\":":","\\\\" : 1}]]', '/1/1/\\'],
    ['PUT', '/docs/1/free', '{"a/b":{"":1,"c":{},"":2}}', '/a~1b/', "''"],
    ['PUT', '/docs/1/free', '{"__proto__":1,"__proto__":1}', '/__proto__'],
    ['PUT', '/docs/1/free', `{"${'a'.repeat(51)}":1,"${'a'.repeat(51)}":1}`, `/${'a'.repeat(51)}`, 'of 51 characters'],
    ['PATCH', '/docs', '[{"id":1,"n":1,"id":1}]', '/0/id'],
    ['POST', '/', '[{"method":"PATCH","path":"/docs/1","body":{"n":1,"n":2}}]', '/0/body/n']
  ] as const) {
    const answer = await send(method, url, body)
    t.strictSame([answer.statusCode, answer.json()], [400, twice(pointer, named)], body)
  }
  const merged = await send('PATCH', '/docs/1', '{"free":{"a":1,"a":null}}', 'application/merge-patch+json')
  t.strictSame([merged.statusCode, merged.json()], [400, twice('/free/a')])
  t.strictSame((await app.inject('/docs?fields=id,n,free')).json(), [{ id: 1, n: 0, free: null }])
})

test('a line of an import with a member twice is 400, with its number', async t => {
  const { send } = await open()
  const lines = await send('POST', '/docs', '{"n":1}\n{"n":1,"free":{"a":1,"a":1}}\n', 'application/x-ndjson')
  t.strictSame([lines.statusCode, lines.json()], [400, { ...twice('/free/a'), line: 2 }])
  const records = await send('POST', '/docs', 'free\n"{""a"":1,""a"":1}"\n', 'text/csv')
  t.strictSame([records.statusCode, records.json()], [400, { ...twice('/free/a'), line: 2 }])
})

test('any other JSON is taken, and with one more member of a name it is not', async t => {
  const { send } = await open()
  const texts = fc.oneof(fc.json({ maxDepth: 3 }), fc.jsonValue().map(value => JSON.stringify(value, undefined, '\t')))
  const storable = (text: string) => !/\\u0000|\\ud[89a-f]|[\0\p{Surrogate}]/u.test(text)
  const names = fc.constantFrom('a', ':', '":', '\\', 'a"', '{', '[,', '}', '\\":', 'é')
  await fc.assert(fc.asyncProperty(texts.filter(storable), names, fc.boolean(), async (text, name, before) => {
    const own = JSON.stringify(name)
    const other = { [`${name}${name}`]: [{ [name]: name }] }
    const free = `{${own}:${text},${JSON.stringify(other).slice(1, -1)}`
    t.match((await send('PUT', '/docs/1/free', `${free}}`)).statusCode, 200, free)
    const wrong = before ? `{${own}:0,${free.slice(1)}}` : `${free},${own}:0}`
    t.strictSame((await send('PUT', '/docs/1/free', wrong)).json().pointer, `/${name}`, wrong)
  }), { numRuns: 100 })
})
