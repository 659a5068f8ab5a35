import assert from 'node:assert/strict'
import { type TSchema, Type } from '@sinclair/typebox'
import dataApi, { collection } from '../../lib/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { key, onPostgres, open, over } from '../helpers/checked-tables.ts'

// docs/databases.md: Limits of columns.

interface Column {
  readonly name: string
  readonly type: string
  readonly schema: TSchema
  /** A value that it takes, and one that it does not. */
  readonly fits: string | number
  readonly beyond: string | number
  /** Values: some at the limit, just below and just beyond it, and those that are drawn. */
  readonly values: fc.Arbitrary<string | number>
  /** Returns a value as it is read: a column may add zeros and spaces. */
  readonly shown?: (value: string | number) => unknown
}

const text = (format?: string) => Type.String(format === undefined ? {} : { format })

const units = fc.constantFrom('a', 'é', '😀', ' ', '"')
const textOf = (most: number) =>
  fc.array(units, { minLength: most - 1, maxLength: most + 1 }).map(some => some.join(''))

const around = (limits: ReadonlyArray<bigint>) =>
  fc.tuple(fc.constantFrom(...limits), fc.bigInt({ min: -2n, max: 2n })).map(([limit, by]) => limit + by)
const edges = (bits: bigint) => around([2n ** (bits - 1n), -(2n ** (bits - 1n)), 0n])

/** Decimals around ten to the power of `digits`, with zeros at the end or not. */
const decimals = (digits: number, places: number) =>
  fc.tuple(around([10n ** BigInt(digits), -(10n ** BigInt(digits)), 0n]), fc.nat(2), fc.constantFrom('', '0', '00'))
    .map(([units, finer, zeros]) => pointed(units * 10n ** BigInt(finer) + BigInt(finer > 0 ? 1 : 0), places + finer) +
      (places + finer > 0 ? zeros : ''))

function pointed (units: bigint, places: number): string {
  const sign = units < 0n ? '-' : ''
  if (places <= 0) return `${sign}${String(units).replace('-', '')}${'0'.repeat(units === 0n ? 0 : -places)}`
  const digits = String(units).replace('-', '').padStart(places + 1, '0')
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/^-(0\.0+)$/, '$1')
}

/** Returns a decimal as a column of so many places shows it. */
const padded = (places: number) => (value: string | number) => {
  const [whole = '', fraction = ''] = String(value).split('.')
  return places > 0 ? `${whole}.${fraction.replace(/0+$/, '').padEnd(places, '0')}` : whole
}

const integer = (type: string, bits: bigint): readonly Column[] => {
  const [most, beyond] = [2n ** (bits - 1n) - 1n, 2n ** (bits - 1n)]
  const values = edges(bits)
  const ofNumbers = fc.tuple(values, fc.constantFrom(0, 0.5)).map(([one, half]) => Number(one) + half)
  return [
    {
      ...ofTexts(type, 'int64', '', '', values.map(Number)),
      name: type,
      schema: Type.Integer(),
      fits: Number(most),
      beyond: Number(beyond)
    },
    { name: `${type} of numbers`, type, schema: Type.Number(), fits: -2, beyond: 0.5, values: ofNumbers },
    ofTexts(type, 'int64', String(most), String(-beyond - 1n), values.map(String)),
    ofTexts(type, 'decimal', String(-beyond), String(beyond), values.map(String))
  ]
}

const ofTexts = (
  type: string, format: string, fits: string, beyond: string, values: fc.Arbitrary<string | number>
): Column => ({ name: `${type} of ${format}`, type, schema: text(format), fits, beyond, values })

function numeric (digits: number, places: number, fits: string, beyond: string): readonly Column[] {
  const type = `numeric(${digits},${places})`
  const values = decimals(digits, places)
  const ofNumbers = { fits: Number(fits), beyond: Number(beyond), values: values.map(Number) }
  return [
    { ...ofTexts(type, 'decimal', fits, beyond, values), shown: padded(places) },
    { name: `${type} of numbers`, type, schema: Type.Number(), ...ofNumbers }
  ]
}

const ofText = (type: string, fits: string, beyond: string, values: fc.Arbitrary<string>): Column =>
  ({ name: type, type, schema: text(), fits, beyond, values })

const columns: readonly Column[] = [
  ofText('varchar(3)', '😀é"', 'abcd', textOf(3)),
  { ...ofText('char(3)', 'a', '😀😀😀😀', textOf(3)), shown: value => padEnd(String(value), 3) },
  ofText('word', 'words', 'wordsy', textOf(5)),
  ofText('short', 'words', 'wordsy', textOf(5)),
  ofText('size', 's', 'S', fc.constantFrom('s', 'm', 'S', '', 'x')),
  ofText('mood', 'glad', 'mad', fc.constantFrom('sad', 'glad', 'mad', '')),
  {
    name: 'step', type: 'step', schema: Type.Integer(), fits: 2, beyond: 3, values: fc.constantFrom(1, 2, 3, -1)
  },
  ...integer('smallint', 16n),
  ...integer('integer', 32n),
  ...integer('bigint', 64n).slice(1),
  ...numeric(4, 2, '99.99', '1.239'),
  ...numeric(3, 0, '-999', '1000'),
  ...numeric(20, 2, '0.25', '1000000000000000000'),
  {
    name: 'real',
    type: 'real',
    schema: Type.Number(),
    fits: 3.4028235e38,
    beyond: 1e-300,
    values: fc.constantFrom(0, 3.4028235e38, -3.4028235e38, 3.4028236e38, 1e300, -1e39, 1e-45, 1e-46, 0.1)
  }
]

const padEnd = (text: string, length: number) => text + ' '.repeat(Math.max(0, length - [...text].length))

const ddl = `create domain word as varchar(5); create domain short as word check (value <> 'never');
create domain size as text check (value in ('s', 'm')); create domain step as integer check (value in (1, 2));
create type mood as enum ('sad', 'glad');
create table t (id integer primary key generated by default as identity, ${
  columns.map(({ type }, index) => `c${index} ${type}`).join(', ')});
insert into t (id) values (0)`

const Things = Type.Object({
  id: Type.Integer({ ...key, writable: true }),
  ...Object.fromEntries(columns.map(({ schema }, index) => [`c${index}`, Type.Optional({ ...schema, ...open })]))
})

onPostgres('a value that its column does not take is a violation with a pointer, by each kind of write', ddl,
  async (t, db) => {
    const app = Fastify()
    const options = { collections: { things: collection(Things, { source: db.table('t') }) }, imports: true } as const
    await app.register(dataApi, { ...options, requestStrategies: { batch: true } })

    async function send (way: string, name: string, value: unknown) {
      const [method, url, payload, type = 'application/json'] = requestOf(way, name, value)
      const headers = { 'content-type': type, prefer: 'return=minimal' }
      const answer = await app.inject({ method, url, payload: JSON.stringify(payload), headers })
      return { status: answer.statusCode, body: answer.body === '' ? {} as Refusal : answer.json<Refusal>() }
    }

    /** Returns true if the value was stored, and false if it was refused as it must be. */
    async function isStored (way: string, name: string, value: unknown, seen: unknown): Promise<boolean> {
      const { status, body: { error, details: [detail] = [] } } = await send(way, name, value)
      if (status >= 400) {
        assert.deepEqual([status, error], [400, 'validation'])
        assert.match(detail?.pointer ?? '?', way === 'PUT' ? /^$/ : new RegExp(`/${name}$`))
        return false
      }
      const found = way === 'POST' || way === 'import' ? 'sort=id+desc&limit=1' : 'id=0'
      const read = await app.inject(`/things?${found}&fields=${name}`)
      assert.deepEqual(read.json<unknown>(), [{ [name]: seen }])
      return true
    }

    for (const [index, { name, fits, beyond, values, shown = asSent }] of columns.entries()) {
      for (const way of ways) {
        t.equal(await isStored(way, `c${index}`, fits, shown(fits)), true, `${name} ${way} ${fits}`)
        t.equal(await isStored(way, `c${index}`, beyond, undefined), false, `${name} ${way} ${beyond}`)
      }
      await fc.assert(fc.asyncProperty(values, fc.constantFrom(...ways), async (value, way) => {
        await isStored(way, `c${index}`, value, shown(value))
      }), { numRuns: runsOf(50) })
    }
    await app.close()
  })

const asSent = (value: string | number): unknown => value

interface Refusal { readonly error?: string, readonly details?: ReadonlyArray<{ readonly pointer: string }> }

const ways = ['POST', 'PATCH', 'PUT', 'batch', 'import'] as const

type Sent = readonly [method: 'POST' | 'PATCH' | 'PUT', url: string, payload: unknown, type?: string]

function requestOf (way: string, name: string, value: unknown): Sent {
  switch (way) {
    case 'POST': return ['POST', '/things', { [name]: value }]
    case 'PATCH': return ['PATCH', '/things/0', { [name]: value }]
    case 'PUT': return ['PUT', `/things/0/${name}`, value]
    case 'import': return ['POST', '/things', { [name]: value }, 'application/x-ndjson']
    default: return ['POST', '/', [{ method: 'PATCH', path: '/things/0', body: { [name]: value } }]]
  }
}

const optional = (schema: TSchema) => Type.Optional({ ...schema, ...open })

onPostgres('a schema that allows more than its column takes is a warning, and the narrower limit holds', `
create table t (id integer primary key, code varchar(3), short varchar(9), n smallint, words varchar(2)[])`,
async (t, db) => {
  const declared = over(db, {
    id: Type.Integer({ ...key, writable: true }),
    code: optional(Type.Union([Type.String({ maxLength: 10 }), Type.Null()])),
    short: optional(Type.String({ maxLength: 2 })),
    n: optional(Type.Integer({ minimum: -40_000, maximum: 40_000 })),
    words: optional(Type.Array(Type.String({ maxLength: 5 })))
  })
  const beyond = (field: string, keyword: string, type: string, most: string) =>
    `collection 'things', field '${field}': has a ${keyword} beyond the column 't.${field}', which is ${type} and ` +
      `limits clients all the same; declare ${most}`
  t.strictSame(await db.check(declared), [
    beyond('code', 'maxLength', 'character varying(3)', 'maxLength: 3'),
    beyond('n', 'maximum', 'smallint', 'maximum: 32767'),
    beyond('n', 'minimum', 'smallint', 'minimum: -32768'),
    beyond('words', 'maxLength', 'character varying(2)[]', 'maxLength: 2')
  ])
  const app = Fastify()
  await app.register(dataApi, { collections: declared })
  const refused = await app.inject({
    method: 'POST', url: '/things', payload: { id: 1, code: 'abcd', short: 'abc', n: 32_768, words: ['ab', 'abc'] }
  })
  t.strictSame(refused.json<{ readonly details: unknown }>().details, [
    { pointer: '/code', message: 'must have at most 3 characters, or null' },
    { pointer: '/short', message: 'must have at most 2 characters' },
    { pointer: '/n', message: 'must be at most 32767' },
    { pointer: '/words/1', message: 'must have at most 2 characters' }
  ])
  await app.close()
})

onPostgres('the document and the forms show what columns take', `
create table t (id integer primary key, code varchar(3), n smallint, price numeric(4,2), cost numeric(4,2), size size)`
  .replace('\n', "\ncreate domain size as text check (value in ('s', 'm'));\n"), async (t, db) => {
  const app = Fastify()
  await app.register(dataApi, {
    explorer: true,
    collections: over(db, {
      id: Type.Integer({ ...key, writable: true }),
      code: optional(text()),
      n: optional(Type.Integer()),
      price: optional(text('decimal')),
      cost: optional(Type.Number()),
      size: optional(text())
    })
  })
  const { components } = (await app.inject('/openapi.json')).json<Document>()
  t.match(components.schemas['ThingsCreate']?.properties, {
    code: { maxLength: 3 },
    n: { minimum: -32_768, maximum: 32_767 },
    price: { pattern: '^-?(0|[1-9]\\d{0,1})(\\.\\d{1,2}0*)?$' },
    cost: { minimum: -99.99, maximum: 99.99 },
    size: { enum: ['s', 'm', null] }
  })
  const form = (await app.inject({ url: '/things?_new', headers: { accept: 'text/html' } })).body
  for (const hint of ['At most 3 characters.', 'From -32768 to 32767.', 'From -99.99 to 99.99.']) t.match(form, hint)
  await app.close()
})

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object } | undefined>> }
}

onPostgres('a setter may take what the column of its field does not', `
create table t (id integer primary key, code varchar(3))`, async (t, db) => {
  const app = Fastify()
  const declared = over(db, { id: Type.Integer({ ...key, writable: true }), code: optional(text()) }, {
    setters: { code: (item: { code?: string | undefined }, code: string) => { item.code = code.slice(0, 3) } }
  })
  await app.register(dataApi, { collections: declared })
  const { statusCode } = await app.inject({ method: 'POST', url: '/things', payload: { id: 1, code: 'abcdef' } })
  t.strictSame([statusCode, (await app.inject('/things/1/code')).json()], [201, 'abc'])
  await app.close()
})
