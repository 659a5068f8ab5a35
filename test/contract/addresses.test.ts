import { Type } from '@sinclair/typebox'
import { collection, exactly, lookup, SubCollection, SubItem } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'

// docs/http.md: Identifiers. Location and Content-Location lead to the item.

const Person = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true }),
  bossId: Type.Optional(Type.Integer()),
  staff: SubCollection('people', { foreignKey: 'bossId', readable: true })
})
// Its key is not shown, one of its other identifiers may be null, and a lookup finds items too.
const Badge = Type.Object({
  id: Type.Integer({ identifier: true }),
  code: Type.Optional(Type.String({ identifier: true, readable: true, writable: true })),
  label: Type.String({ identifier: true, readable: true, writable: true })
})
const Secret = Type.Object({
  id: Type.Integer({ identifier: true }), text: Type.String({ readable: true, writable: true })
})
const Tag = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), word: Type.String({ readable: true, writable: true })
})
const Colour = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.Union([Type.Literal('red'), Type.Literal('green')], { identifier: true, readable: true, writable: true })
})
const shown = { readable: true, writable: true }
// All that leads to it can be changed.
const Place = Type.Object({
  slug: Type.String(shown),
  year: Type.Integer(shown),
  code: Type.Optional(Type.String({ identifier: true, ...shown })),
  kind: Type.String(shown),
  insideSlug: Type.Optional(Type.String(shown)),
  insideYear: Type.Optional(Type.Integer(shown)),
  inside: Type.Optional(SubItem('places', { foreignKey: ['insideSlug', 'insideYear'], ...shown })),
  parts: SubCollection('places', { foreignKey: ['insideSlug', 'insideYear'], readable: true })
})

const world: World = {
  ddl: `create table people (id key, name text not null unique, "bossId" integer);
    create table badges (id key, code text unique, label text not null unique);
    create table secrets (id key, text text not null);
    create table tags (id key, word text not null);
    create table colours (id key, name text not null unique);
    create table places (slug text not null, year integer not null, code text unique, kind text not null,
      "insideSlug" text, "insideYear" integer, primary key (slug, year));`,
  tables: {
    people: [{ id: 1, name: 'Ada', bossId: null }, { id: 2, name: '4', bossId: null }, { id: 3, name: '5', bossId: 1 }],
    badges: [{ id: 1, code: 'x', label: 'first' }],
    secrets: [{ id: 1, text: 'a' }],
    tags: [{ id: 1, word: 'two' }],
    colours: [{ id: 1, name: 'red' }],
    places: [
      { slug: 'a', year: 1, code: 'x', kind: 'town', insideSlug: null, insideYear: null },
      { slug: 'b', year: 1, code: 'y', kind: 'street', insideSlug: 'a', insideYear: 1 }
    ]
  },
  collections: source => ({
    people: collection(Person, {
      source: source('people'),
      identifiers: { me: exactly('me', ({ request }) => ({ id: Number(request.headers['x-person']) })) }
    }),
    badges: collection(Badge, { source: source('badges'), identifiers: { mine: exactly('mine', () => ({ id: 1 })) } }),
    secrets: collection(Secret, { source: source('secrets') }),
    colours: collection(Colour, { source: source('colours') }),
    places: collection(Place, { source: source('places'), key: ['slug', 'year'] }),
    tags: collection(Tag,
      { source: source('tags'), identifiers: { next: lookup({ type: Type.Integer(), find: id => ({ id: id - 1 }) }) } })
  })
}

const options = { requestStrategies: { delete: true } }

everySource('Location names the key where another identifier could take its text', async ({ t, get, send }) => {
  for (const [url, body, location] of [
    ['/people', { name: 'c' }, '/people/by_id/4'],
    ['/people/1/staff', { name: 'g' }, '/people/1/staff/by_id/5'],
    ['/people/by_name/Ada/staff', { name: '10' }, '/people/by_name/Ada/staff/by_id/6'],
    ['/people', [{ name: 'i' }], undefined],
    // Another identifier of a colour is one of two words, a badge has no key to show, and a secret nothing.
    ['/colours', { name: 'green' }, '/colours/2'],
    ['/badges', { code: 'y', label: 'second' }, '/badges/by_code/y'],
    ['/badges', { label: 'a/b' }, '/badges/by_label/a%2Fb'],
    ['/secrets', { text: 'b' }, undefined],
    // Each tag is found by the next number, too.
    ['/tags', { word: 'x' }, '/tags/by_id/2']
  ] as const) {
    const { headers } = await send('POST', url, body)
    t.equal(headers.location, location, url)
    if (location !== undefined) t.match((await get(location)).json(), { ...body }, location)
  }
}, options, world)

everySource('Content-Location leads to the item of a special identifier', async ({ t, get, send }) => {
  const of = async (person: number) =>
    (await get('/people/me?fields=id', { 'x-person': String(person) })).headers['content-location']
  t.equal(await of(3), '/people/by_id/3')
  await send('POST', '/people', { name: 'c' })
  t.equal(await of(4), '/people/by_id/4')
  t.equal((await get('/people/by_id/4/name')).body, '"c"')
  t.equal((await get('/badges/mine')).headers['content-location'], '/badges/by_code/x')
}, options, world)

everySource('an update after which its URL leads elsewhere tells the own URL of the item', async tools => {
  const { t, get, send } = tools
  // A code could have this text, too.
  const own = '/places/by_slug,year/'
  const returning = { prefer: 'return=representation' }
  for (const [method, url, body, to, headers] of [
    ['PATCH', '/places/b,1', { year: 2 }, `${own}b,2`],
    ['PATCH', '/places/b,2', { year: 2, code: 'z', kind: 'lane' }, undefined],
    ['PUT', '/places/b,2/slug', 'c d', `${own}c%20d,2/slug`],
    ['PUT', '/places/c%20d,2/kind', 'road', undefined],
    ['POST', '/places/c%20d,2/year', { add: 1 }, `${own}c%20d,3/year`],
    ['PUT', '/places/by_code/z', { slug: 'b', year: 1 }, `${own}b,1`, returning],
    ['PATCH', '/places/by_code/z', { code: 'w' }, `${own}b,1`, { prefer: 'return=minimal' }],
    ['PATCH', '/places/by_kind/road/w', { kind: 'lane' }, `${own}b,1`],
    ['PATCH', '/places/a,1/parts/w', { kind: 'road' }, undefined],
    ['PATCH', '/places/a,1/parts/b,1', { slug: 'e' }, `${own}e,1`],
    ['PATCH', '/places/a,1/parts/e,1', { inside: null }, `${own}e,1`],
    // Another identifier of a person is of the same type; a badge has no key to show.
    ['PATCH', '/people/by_name/Ada', { name: '9' }, '/people/by_id/1'],
    ['PUT', '/badges/x/code', 'a/b', '/badges/by_code/a%2Fb/code'],
    ['PATCH', '/badges/a%2Fb', { code: 'x' }, '/badges/by_code/x']
  ] as const) {
    const answer = await send(method, url, body, headers)
    t.match(answer.statusCode, /^20[04]$/, `${url} ${answer.body}`)
    t.equal(answer.headers['content-location'], to, url)
    if (to !== undefined) t.equal((await get(to)).statusCode, 200, to)
  }
}, options, world)

everySource('answers under a special identifier are private, and say what they depend on', async ({ t, get, send }) => {
  const me = { 'x-person': '1' }
  for (const path of [
    '/people/me', '/people/me/name', '/people/me/staff', '/people/%6De', '/people/me/nothing', '/people/me?x=1'
  ]) {
    const { headers } = await get(path, me)
    t.equal(headers['cache-control'], 'private', path)
    t.match(headers.vary, /Authorization, Cookie/, path)
  }
  t.equal((await get('/people/me', { 'x-person': '99' })).headers['cache-control'], 'private')
  t.equal((await send('PATCH', '/people/me', { name: 'Ida' }, me)).headers['cache-control'], 'private')
  for (const path of ['/people/1', '/people', '/people/by_id', '/secrets']) {
    const { headers } = await get(path, me)
    t.strictSame([headers['cache-control'], /Cookie/.test(String(headers.vary))], [undefined, false], path)
  }
}, options, world)

everySource('the headers that tell callers apart are those of the option', async ({ t, get }) => {
  t.match((await get('/people/me', { 'x-person': '1' })).headers.vary, /X-Person/)
}, { responseContent: { callerHeaders: ['X-Person'] } }, world)
