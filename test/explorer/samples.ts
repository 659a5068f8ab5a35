import { type TProperties, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import dataApi, { collection, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { fastify } from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// Two APIs that pages must bear: a shop with long texts and forty columns, and all that makes a schema hard.

const open = { readable: true, writable: true } as const
const key = { identifier: true, readable: true } as const
const orNull = (type: Parameters<typeof Type.Union>[0][number], options: object = open) =>
  Type.Union([type, Type.Null()], options)
const long = 'Deliver before nine, because the street is closed for the market. '.repeat(40)

const columns: TProperties = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`measure_${index}`, [
  orNull(Type.Number(), { ...open, unit: 'kg', group: 'Measures' }), orNull(Type.String()), orNull(Type.Integer())
][index % 3] ?? Type.Null()]))
const Product = Type.Object({
  id: Type.Integer(key),
  label: Type.String({ ...open, naming: true, listed: true, maxLength: 60 }),
  notes: orNull(Type.String(), { ...open, listed: true, group: 'Texts' }),
  photo: orNull(Type.String({ format: 'uri', contentMediaType: 'image/*' }), { ...open, listed: true }),
  state: Type.Union(['open', 'packed', 'shipped', 'lost', 'found', 'sold'].map(one => Type.Literal(one)), open),
  price: Type.String({ format: 'decimal', ...open, unit: 'EUR', description: 'Without tax.' }),
  tags: Type.Array(Type.String(), open),
  meta: Type.Any(open),
  config: Type.String({ ...open, contentMediaType: 'application/yaml' }),
  ...columns,
  makerId: orNull(Type.Integer(), {}),
  maker: SubItem('makers', { foreignKey: 'makerId', ...open, title: 'Made by' })
}, {
  title: 'Products',
  description: long.slice(0, 200),
  views: {
    All: `fields=id,label,state,photo,notes,price,${Object.keys(columns).join(',')}`, Dear: 'price>10&sort=-price'
  }
})
const Maker = Type.Object({
  id: Type.Integer(key),
  name: Type.String({ ...open, identifier: true }),
  products: SubCollection('products', { foreignKey: 'makerId', readable: true }),
  others: SubCollection('products', { foreignKey: 'makerId', readable: true, hidden: true })
})

/** The paths of a sample's pages. */
export interface Sample { readonly app: FastifyInstance, readonly paths: readonly string[] }

/** A shop with long texts and forty columns. */
export async function shop (): Promise<Sample> {
  const app = fastify({ forceCloseConnections: true })
  const filled = Object.fromEntries(Object.keys(columns).map((name, index) =>
    [name, index % 4 === 3 ? null : [index / 7, long.slice(0, index * 3), index * 99_999][index % 3]]))
  const rows = Array.from({ length: 30 }, (_, index) => ({
    ...filled,
    id: index + 1,
    label: index === 3 ? 'x'.repeat(60) : `Chestnut honey of the volcanic fields, ${index}`,
    notes: index % 2 === 0 ? long : null,
    photo: `https://files.example.com/${index}.png`,
    state: 'open',
    price: '14499.80',
    tags: ['fragile', 'cold', long.slice(0, 30)],
    meta: { utm: { campaign: long.slice(0, 90), steps: [1, 2, 3] } },
    config: 'a: 1\nb:\n  - 2',
    makerId: index % 3 === 0 ? null : 1
  }))
  const products = collection(Product, {
    source: memory(rows as never), requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] }
  })
  const makers = collection(Maker, { source: memory([{ id: 1, name: 'Fjord & Hav' }]) })
  await app.register(dataApi, {
    rules: everybody,
    collections: { products, makers },
    explorer: { title: 'Northbound', images: ['files.example.com'] },
    imports: {},
    openapi: {},
    mcp: true
  })
  const all = encodeURI(`/products?fields=label,${Object.keys(columns).join(',')}`)
  return {
    app,
    paths: [
      '/mcp',
      '/', '/products', all, `${all}&_show=compact`, '/products?_show=roomy', '/products?_facet=state&_facet=label',
      '/products?state=open&price>10&_filter=price', '/products?state=lost&price<1', '/products?fields=state,count()',
      '/products/1', '/products/4', '/products/2/notes', '/products/1/meta', '/products/1?_edit', '/products?_new',
      '/products/1?_delete', '/products/99', '/products?nothing=1', '/products/by_state', '/makers/1', '/makers',
      '/products?id=*1,4&_edit', '/products?id<9&_delete', '/products?_import'
    ]
  }
}

// Line breaks, quotes, a right-to-left text, an emoji, and what a path, a query or HTML reads otherwise.
const names = [
  'a.b', 'a/b', 'a,b', '"a"', "o'clock", 'a&b=c', '<b>x</b>', 'ملفات', '😀 b', 'a b', '%41', '..a', '{}',
  'x'.repeat(300), 'null', '__proto__', 'line\nbreak', '+', '#', '?'
]
const Hard = Type.Object({
  a: Type.String(open),
  b: Type.Integer(open),
  wide: orNull(Type.String({ format: 'int64' })),
  exact: orNull(Type.String({ format: 'decimal' })),
  moment: orNull(Type.String({ format: 'date-time' })),
  day: orNull(Type.String({ format: 'date' })),
  list: orNull(Type.Array(orNull(Type.Integer(), {}))),
  json: Type.Any(open),
  script: orNull(Type.String()),
  constructor_: orNull(Type.Boolean()),
  parentA: orNull(Type.String(), {}),
  parentB: orNull(Type.Integer(), {}),
  parent: SubItem('hard', { foreignKey: ['parentA', 'parentB'], ...open }),
  children: SubCollection('hard', { foreignKey: ['parentA', 'parentB'], ...open }),
  friends: SubCollection('named', { through: 'links', foreignKey: ['a', 'b'], otherKey: 'id', readable: true })
})
const Named = Type.Object({ name: Type.String({ ...open, identifier: true }), value: orNull(Type.Any()) })
const Secret = Type.Object({
  id: Type.String({ identifier: true }), owner: Type.String(), shown: Type.String({ readable: true })
})
const Bare = Type.Object({ id: Type.Integer(key) })

/** All that makes a schema hard: keys of several fields or that nobody may read, odd names, 200 collections. */
export async function hard (): Promise<Sample> {
  const app = fastify({ forceCloseConnections: true })
  const empty = {
    wide: null, exact: null, moment: null, day: null, list: null, json: {}, script: null, constructor_: null
  }
  const rows = names.map((a, b) => ({ ...empty, a, b, parentA: names[0] ?? null, parentB: 0 }))
  const full = {
    a: 'full',
    b: -1,
    wide: '9007199254740993',
    exact: '0.10',
    moment: '2026-11-24T09:41:00.000Z',
    day: '0001-01-01',
    list: [1, null],
    json: { '': { '<img src=x>': ['"', { __proto__: 1 }] } },
    script: '</script><img src=x onerror=alert(1)>',
    constructor_: true,
    parentA: 'full',
    parentB: -1
  }
  const { children: _, friends: __, ...withoutLists } = Hard.properties
  const Self = Type.Object({ ...withoutLists, children: Hard.properties.children })
  const others = Array.from({ length: 200 }, (_, index) => [`${names[index % 14]?.slice(0, 20) ?? ''}_${index}`,
    collection(Bare, { source: memory([{ id: index }]) })] as const)
  const self = collection(Self, {
    source: memory([...rows, full] as never),
    key: ['a', 'b'],
    requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] }
  })
  const named = collection(Named, { source: memory(names.map(name => ({ name, value: null }))) })
  const secrets = collection(Secret, {
    source: memory([{ id: 'x', owner: 'me', shown: 'seen' }, { id: 'y', owner: 'you', shown: 'not seen' }]),
    scope: () => ({ owner: 'me' }),
    requestStrategies: { create: false, update: [] }
  })
  await app.register(dataApi, {
    rules: everybody,
    collections: { hard: self, named, secrets, ...Object.fromEntries(others) },
    explorer: true,
    mcp: true
  })
  const paths = ['/', '/mcp',
    '/?_find=a', '/hard', '/named', '/secrets', '/hard?_facet=script&_facet=day', '/hard/full,-1',
    '/hard/full,-1?_edit', '/hard/full,-1?_delete', '/hard?_new', '/hard?fields=script,count()', '/hard/full,-1/json',
    '/hard/full,-1/children', '/hard/by_a', '/secrets/1', '/named/zzz', '/named?_new', '/hard?script=x&day=null',
    '/hard?b<9&_edit', '/hard?b<9&_delete']
  return { app, paths }
}
