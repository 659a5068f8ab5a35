import { type TSchema, Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { test } from 'tap'
import dataApi, { collection, memory } from '../../../lib/index.ts'
import Fastify from '../../helpers/fastify.ts'

// docs/http.md: Writing. `details` lists all mistakes: a value that may have several forms has those of one of them.

const flags = { readable: true, writable: true }
interface Detail { readonly pointer: string, readonly message: string }

async function detailsOf (schema: TSchema, value: unknown, stored: unknown = null): Promise<readonly Detail[]> {
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    value: Type.Optional(Type.Unsafe({ ...schema, ...flags }))
  })
  const app = Fastify()
  const source = memory([{ id: 1, value: stored }])
  await app.register(dataApi, { collections: { things: collection(Thing, { source }) } })
  const { statusCode, body } = await app.inject({ method: 'PATCH', url: '/things/1', payload: { value } })
  await app.close()
  return statusCode === 200 ? [] : (JSON.parse(body) as { readonly details: readonly Detail[] }).details
}

const Point = Type.Object({ kind: Type.Literal('point'), x: Type.Integer({ minimum: 1 }) })
const Line = Type.Object({ kind: Type.Literal('line'), length: Type.Number() })
const chain = Type.Unsafe({ $ref: '#/$defs/Chain' })
const Chain = Type.Object({ n: Type.Integer({ minimum: 0 }), next: Type.Optional(Type.Union([chain, Type.Null()])) })
const Near = Type.Object({ a: Type.Object({ b: Type.Number() }) })
const Far = Type.Object({ c: Type.Number() })

const examples: ReadonlyArray<readonly [what: string, schema: TSchema, value: unknown, details: readonly Detail[]]> = [
  ['a number that is too small, or null', Type.Union([Type.Number({ minimum: 0 }), Type.Null()]), -1,
    [{ pointer: '/value', message: 'must be at least 0, or null' }]],
  ['literals inside', Type.Object({ a: Type.Union([Type.Literal(1), Type.Literal('b'), Type.Null()]) }), { a: 2 },
    [{ pointer: '/value/a', message: 'must be one of 1, "b" or null' }]],
  ['another type', Type.Object({ a: Type.Union([Type.Number(), Type.Null()]) }), { a: 'b' },
    [{ pointer: '/value/a', message: 'must be a number or null' }]],
  ['no other form than null', Type.Object({ a: Type.Unsafe({ anyOf: [Type.Null()] }) }), { a: 1 },
    [{ pointer: '/value/a', message: 'must be null' }]],
  ['objects that a literal tells apart', Type.Union([Point, Line]), { kind: 'point', x: 0 },
    [{ pointer: '/value/x', message: 'must be at least 1' }]],
  ['objects that nothing tells apart', Type.Union([Near, Far]), { a: { b: 'd' } }, [{
    pointer: '/value',
    message: "must have one of the allowed forms: 'a/b' must be a number; or must have the member 'c'"
  }]],
  ['a form that is a reference', { ...chain, $defs: { Chain } }, { n: 1, next: { n: 1, next: { n: -1 } } },
    [{ pointer: '/value/next/next/n', message: 'must be at least 0' }]]
]

for (const [what, schema, value, details] of examples) {
  test(`details lists all mistakes: ${what}`, async t => {
    t.strictSame(await detailsOf(schema, value), details)
  })
}

const closed = { additionalProperties: false }
test('elements of an array may be null where their schema has no type', async t => {
  const Anything = Type.Array(Type.Unknown())
  t.strictSame(await detailsOf(Anything, [1, null]), [])
  t.strictSame(await detailsOf(Anything, [1, null], [2, null]), [])
  t.strictSame(await detailsOf(Type.Array(Type.Integer()), [1, null]), [
    { pointer: '/value', message: 'has an element that cannot be written, and differs from the current value' }
  ])
})

const schemas: readonly TSchema[] = [
  Type.Object({ a: Type.Integer({ minimum: 3, multipleOf: 2 }), b: Type.Optional(Type.String({ pattern: '^x' })) }),
  Type.Array(Type.String({ minLength: 2, pattern: '^x' }), { maxItems: 2 }),
  Type.Array(Point, { minItems: 1 }),
  Type.Object({ list: Type.Array(Type.Union([Type.Integer({ minimum: 3 }), Type.Null()])) }, closed)
]
const values = fc.jsonValue({ maxDepth: 2 }).chain(other => fc.constantFrom<unknown>(
  { a: other, b: other }, [other, 'x'], ['y', other, 'xxx'], [{ kind: 'point', x: other }], { list: [other, 1] }, other
))

test('a value that may be null has the mistakes that it has where it may not', async t => {
  await fc.assert(fc.asyncProperty(fc.constantFrom(...schemas), values, async (schema, value) => {
    if (value === null) return
    const alone = await detailsOf(schema, value)
    const orNull = await detailsOf(Type.Union([schema, Type.Null()]), value)
    const plainly = ({ pointer, message }: Detail) => ({ pointer, message: message.replace(/,? or null/, '') })
    t.strictSame(orNull.map(plainly), alone.map(plainly))
  }))
})
