import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { type Behaviour, collection, type ItemRule, SubCollection, SubItem } from '../../../lib/index.ts'
import { serveThing, Thing } from '../../fixtures/company.ts'
import { everySource, type Tools, type World } from '../../helpers/every-source.ts'
import Fastify from '../../helpers/fastify.ts'
import { openers } from '../../helpers/sources.ts'
import { everybody } from '../../helpers/everybody.ts'
import { created, forbidden } from '../../helpers/answers.ts'

// docs/http.md: Rules. A field may be writable in some items only.

const flags = { readable: true, writable: true } as const
const Shop = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  offers: SubCollection('offers', { foreignKey: 'shopId', ...flags })
})
const Offer = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  price: Type.Integer(flags),
  code: Type.String({ writable: true, default: 'x' }),
  state: Type.String({ ...flags, default: 'draft' }),
  shopId: Type.Optional(Type.Integer()),
  shop: SubItem('shops', { foreignKey: 'shopId', ...flags })
})

const isDraft = (offer: { state: string }) => offer.state === 'draft'

const world: World = {
  tables: {
    shops: [{ id: 1 }, { id: 2 }],
    offers: [
      { id: 1, price: 10, code: 'x', state: 'draft', shopId: 1 },
      { id: 2, price: 20, code: 'x', state: 'final', shopId: 1 }
    ]
  },
  ddl: `create table shops (id key) strict;
create table offers (id key, price integer not null, code text not null, state text not null,
  "shopId" integer references shops) strict;`,
  collections: source => ({
    shops: collection(Shop, { source: source('shops') }),
    offers: collection(Offer, {
      source: source('offers'),
      rules: {
        fields: {
          price: { writeItem: isDraft },
          code: { writeItem: async offer => isDraft(offer) },
          shopId: { writeItem: isDraft }
        }
      }
    })
  })
}

const rule = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: { upsert: true, delete: true } }, world)
}

const denied = (...fields: readonly string[]) => ({ ...forbidden, fields })

rule('a field whose rule denies it in an item is 403 with its name, and nothing is written', async ({
  send, same, get
}) => {
  same(await send('PATCH', '/offers/1', { price: 11, code: 'y' }), 200, { status: 'ok' })
  same(await send('PATCH', '/offers/2', { price: 11 }), 403, denied('price'))
  same(await send('PUT', '/offers/2/price', 11), 403, denied('price'))
  same(await send('PATCH', '/offers/2', { price: 11, code: 'y', state: 'draft' }), 403, denied('price', 'code'))
  same(await send('PUT', '/offers/2', { price: 11, state: 'draft' }), 403, denied('price'))
  same(await send('PATCH', '/offers/2', { price: 20 }), 200, { status: 'ok' })
  // The answer must not tell whether a value that cannot be read is the current one.
  same(await send('PATCH', '/offers/2', { code: 'x' }), 403, denied('code'))
  same(await send('PATCH', '/offers/1', { state: 'final', price: 12 }), 200, { status: 'ok' })
  same(await send('PATCH', '/offers/1', { price: 13 }), 403, denied('price'))
  same(await get('/offers?fields=id,price'), 200, [{ id: 1, price: 12 }, { id: 2, price: 20 }])
})

rule('a new item is not asked for', async ({ send, same }) => {
  same(await send('POST', '/offers', { price: 1, state: 'final', shop: { id: 1 } }), 201, created(3))
})

rule('the rule of a foreign key is asked by every way of writing the link', async ({ send, t, same }) => {
  for (const [method, url, body] of [
    ['PATCH', '/offers/2', { shop: { id: 2 } }], ['PATCH', '/offers/2', { shop: null }],
    ['DELETE', '/offers/2/shop', undefined], ['POST', '/shops/2/offers', { id: 2 }],
    ['PATCH', '/shops/2', { offers: [{ id: 2 }] }], ['PUT', '/shops/1/offers', []],
    ['DELETE', '/shops/1/offers/2', undefined], ['POST', '/shops', { offers: [{ id: 2 }] }]
  ] as const) {
    const { statusCode, body: told } = await send(method, url, body)
    t.strictSame([statusCode, JSON.parse(told).error, JSON.parse(told).fields], [403, 'forbidden', ['shop']],
      `${method} ${url}`)
  }
  same(await send('PATCH', '/shops/1', { offers: [{ id: 2 }] }), 200, { status: 'ok' })
  same(await send('POST', '/shops/2/offers', { id: 1 }), 200, { status: 'ok' })
})

test('a rule that sees the item denies as other rules do, is logged where it fails, and asks for a setter', async t => {
  const rules: ReadonlyArray<readonly [ItemRule<{ owner?: number }>, number]> = [
    [() => { throw new Error('broken') }, 403],
    [() => { throw Object.assign(new Error('Who are you?'), { statusCode: 401 }) }, 401],
    [((item: object) => item) as never, 403],
    [({ owner }) => owner === 1, 200]
  ]
  for (const [writeItem, status] of rules) {
    const setters: Behaviour<typeof Thing>['setters'] = { name (thing, value) { thing.name = value ?? null } }
    for (const more of [{}, { setters }]) {
      const { app } = await serveThing({ rules: { fields: { name: { writeItem } } } as never, ...more })
      const answer = await app.inject({ method: 'PATCH', url: '/things/1', payload: { name: 'new' } })
      t.equal(answer.statusCode, status)
    }
  }
})

test('own code for a caller asks the rule, and the system does not', async t => {
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody, collections: world.collections((await openers.memory(world.tables)).source)
  })
  app.patch('/mine', async request => app.dataApi.as(request).collection('offers').update(2, { price: 21 }))
  app.patch('/ours', async () => app.dataApi.asSystem().collection('offers').update(2, { price: 22 }))
  const statuses = ['/mine', '/ours'].map(async url => (await app.inject({ method: 'PATCH', url })).statusCode)
  t.strictSame(await Promise.all(statuses), [403, 200])
})

test('a rule that sees the item is for stored fields', async t => {
  const { source } = await openers.memory(world.tables)
  const app = Fastify()
  const rules = { fields: { shop: { writeItem: () => true } } }
  await t.rejects(async () => app.register(dataApi, {
    rules: everybody,
    collections: { ...world.collections(source), offers: collection(Offer, { source: source('offers'), rules }) }
  }), {
    message: "collection 'offers', rules.fields.shop.writeItem: only a stored field has this rule; " +
    'give that of a relation to its foreign key'
  })
})
