import { type TSchema, Type } from '@sinclair/typebox'
import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import { collection, memory, SubItem } from '../../lib/index.ts'
import { serve, valuesOf } from '../helpers/explorer-forms.ts'
import { explore } from '../helpers/explorer-pages.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'

// docs/explorer.md: Forms. What a person and another have changed in the same item at the same time.

/** Serves an artist. Returns a form of it that is open while another changes the artist. */
async function openWhile (theirs: object) {
  const served = await serve()
  const form = valuesOf((await served.get('/api/artists/1?_edit')).body)
  const change = (item: object) => served.app.inject({ method: 'PATCH', url: '/api/artists/1', payload: item })
  await change(theirs)
  return { ...served, form, change }
}

const rowsIn = (page: string) =>
  [...page.matchAll(/<tr>\s*<th scope="row"><bdi>([^<]*)/g)].map(([, name]) => name)

test('a stale form is 412; what only the other has changed stays, what only the form has changed is saved', async t => {
  const { post, json, form } = await openWhile({ founded: 1970, tags: ['y'] })
  const stale = await post('/api/artists/1', { ...form, name: 'CAN' })
  t.equal(stale.status, 412)
  t.match(stale.body, /<bdi>founded<\/bdi><\/th><td data-l="Was"><bdi>1968<.*<td data-l="Stored now"><bdi>1970</)
  t.match(stale.body, /<h2>Only you changed<[^]*<bdi>name<[^]*<h2>Only they changed<[^]*<bdi>founded<[^]*<bdi>tags</)
  t.strictSame(rowsIn(stale.body), ['name', 'founded', 'tags'])
  t.notMatch(stale.body, 'type="radio"')
  t.equal((await json('/api/artists/1'))['name'], 'Can')
  const merged = valuesOf(stale.body)
  t.hasStrict(merged, { name: 'CAN', founded: '1970' })
  t.equal((await post('/api/artists/1', merged)).status, 303)
  t.hasStrict(await json('/api/artists/1'), { name: 'CAN', founded: 1970, tags: ['y'] })
})

test('where both have changed a field the form asks, and takes a third value', async t => {
  for (const [chosen, founded] of [
    [{}, 1971], [{ '_keep.founded': 'theirs' }, 1970], [{ founded: '1972' }, 1972], [{ founded: '' }, null]
  ] as const) {
    const { post, json, form } = await openWhile({ founded: 1970 })
    const stale = await post('/api/artists/1', { ...form, founded: '1971' })
    t.match(stale.body, /name="_keep\.founded" value="theirs"><span><bdi>1970/)
    const { location } = await post('/api/artists/1', { ...valuesOf(stale.body), ...chosen })
    t.equal(location, `/api/artists/1?_done=${founded === 1970 ? 'unchanged' : 'saved'}`)
    t.equal((await json('/api/artists/1'))['founded'], founded)
  }
})

test('a conflict marks the words that differ, however far they are from the start', async t => {
  const story = (end: string) => `${'once upon a time '.repeat(20)}there was ${end}`
  const { app, get, post } = await serve()
  const change = (notes: string) => app.inject({ method: 'PATCH', url: '/api/artists/1', payload: { notes } })
  for (const [was, theirs, mine, marked] of [
    ['a band.', 'a loud band.', 'a band of five.', [' loud', ' band of five.']],
    ['a band.', 'band.', 'a band. <b>', ['', ' &lt;b&gt;']],
    ['a band.', 'no', 'a  band.', [' no', ' ']]
  ] as const) {
    await change(story(was))
    const form = valuesOf((await get('/api/artists/1?_edit')).body)
    await change(story(theirs))
    const { body } = await post('/api/artists/1', { ...form, notes: story(mine) })
    t.strictSame([...body.matchAll(/<mark>([^]*?)<\/mark>/g)].map(([, text]) => text), marked, mine)
  }
})

test('a field is not asked for that both have changed in the same way, and equal JSON is no change', async t => {
  const { post, json, form } = await openWhile({ founded: 1970, tags: ['y', 'z'] })
  const same = await post('/api/artists/1', { ...form, founded: '1970', tags: '[ "y",\r\n\r\n "z" ]', name: 'CAN' })
  t.equal(same.status, 412)
  t.notMatch(same.body, '"_keep.founded"')
  const spaced = await post('/api/artists/1', { ...valuesOf(same.body), name: 'Can', tags: '["y","z"]' })
  t.equal(spaced.location, '/api/artists/1?_done=unchanged')
  t.hasStrict(await json('/api/artists/1'), { name: 'Can', founded: 1970, tags: ['y', 'z'] })
})

test('a choice holds while a fault is mended or an item is searched for', async t => {
  for (const extra of [{ name: '' }, { _search: 'label', label: 'Vis' }]) {
    const { post, json, form } = await openWhile({ founded: 1970 })
    const stale = await post('/api/artists/1', { ...form, founded: '1971', notes: 'mine' })
    const chosen = { ...valuesOf(stale.body), '_keep.founded': 'theirs' }
    const again = valuesOf((await post('/api/artists/1', { ...chosen, ...extra })).body)
    await post('/api/artists/1', { ...again, name: 'CAN', label: 'Vision' })
    t.hasStrict(await json('/api/artists/1'), { name: 'CAN', founded: 1970, notes: 'mine', label: { id: 2 } })
  }
})

test('a password that was typed into a stale form is asked for again', async t => {
  const User = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ readable: true, writable: true }),
    password: Type.String({ format: 'password', writable: true })
  })
  const users = collection(User, { source: memory([{ id: 1, name: 'Ada', password: 'old' }]) })
  const { app, page, post } = await explore({ collections: { users } })
  const form = valuesOf(await page('/users/1?_edit'))
  await app.inject({ method: 'PATCH', url: '/users/1', payload: { name: 'Bo' } })
  const { status, body } = await post('/users/1', { ...form, password: 'secret' })
  t.match([status, body], [412, /id="fault-password">must be typed again/])
  t.notMatch(body, 'secret')
})

test('what only the form has changed can be dropped, and the form itself can be shown again', async t => {
  const { post, json, form } = await openWhile({ founded: 1970 })
  const stale = valuesOf((await post('/api/artists/1', { ...form, name: 'CAN', notes: 'mine' })).body)
  const back = await post('/api/artists/1', { ...stale, _take: '=' })
  t.equal(back.status, 200)
  t.hasStrict(valuesOf(back.body), { name: 'CAN', founded: '1970', notes: 'mine' })
  t.equal((await post('/api/artists/1', { ...stale, '_keep.name': 'theirs' })).status, 303)
  t.hasStrict(await json('/api/artists/1'), { name: 'Can', founded: 1970, notes: 'mine' })
})

test('a forged former state changes nothing but what is sent', async t => {
  const { post, json, form } = await openWhile({})
  for (const was of ['', '#', '=1', 'x', '=__proto__']) {
    const { status } = await post('/api/artists/1', { ...form, '_was.name': was, '_was.secret': '=x', secret: 'y' })
    t.equal(status, 303)
  }
  t.hasStrict(await json('/api/artists/1'), { name: 'Can' })
})

const shown = { readable: true, writable: true } as const
const nullable = (type: TSchema) => Type.Union([type, Type.Null()], shown)
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String(shown),
  note: nullable(Type.String()),
  kind: nullable(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  count: nullable(Type.Integer()),
  ratio: nullable(Type.Number()),
  flag: nullable(Type.Boolean()),
  wide: nullable(Type.String({ format: 'int64' })),
  price: nullable(Type.String({ format: 'decimal' })),
  day: nullable(Type.String({ format: 'date' })),
  moment: nullable(Type.String({ format: 'date-time' })),
  list: nullable(Type.Array(Type.String())),
  json: nullable(Type.Object({}, { additionalProperties: true })),
  labelId: Type.Union([Type.Integer(), Type.Null()]),
  label: SubItem('labels', { foreignKey: 'labelId', ...shown })
})
const Label = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), name: Type.String({ identifier: true, readable: true })
})

/** Few values for each field, so that base, mine and theirs are often equal. Null is an empty field of a form. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  text: ['', 'a', 'a\nb', 'a\r\nb', '\nc '],
  note: [null, 'x'.repeat(100), '\n\n', '<b>&amp;"\''],
  kind: [null, 'a', 'b'],
  count: [null, 0, -7],
  ratio: [null, 0.1, 1e21],
  flag: [null, true, false],
  wide: [null, '9007199254740993', '9007199254740992'],
  price: [null, '0.10', '12345678901234567890.5'],
  day: [null, '2026-02-03', '2027-07-07'],
  moment: [null, '2026-02-03T00:00:00.000Z', '2026-02-03T00:00:00.001Z'],
  list: [null, [], ['a', 'b'], ['b', 'a'], ['a\r\nb']],
  json: [null, {}, { a: 1, b: [null, { c: 'x', d: 'y' }] }, { b: [null, { d: 'y', c: 'x' }], a: 1 }],
  label: [null, { id: 1, name: 'Spoon' }, { id: 2, name: 'Vision' }]
}
type Item = Readonly<Record<string, unknown>>
const names = Object.keys(values)
const items = fc.record(Object.fromEntries(
  Object.entries(values).map(([name, some]) => [name, fc.constantFrom(...some)])
)) as fc.Arbitrary<Item>

/** An item of which some members are as in another: few are changed by either. */
const changed = fc.record({ item: items, changes: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 6 }) })
const applied = (item: Item, { item: other, changes }: { readonly item: Item, readonly changes: readonly string[] }) =>
  ({ ...item, ...Object.fromEntries(changes.map(name => [name, other[name]])) })

/** The text that a person types for a value, in a browser, which writes line breaks as CR LF. */
function typed (value: unknown): string {
  if (value === null) return ''
  if (typeof value !== 'object') return String(value).replaceAll(/\r\n?|\n/g, '\r\n')
  return 'name' in value ? String(value.name) : ` ${JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n')}`
}

/** The value of what was typed: no field of a form holds a CR. */
const heard = (value: unknown) => typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value
const equals = (one: unknown, other: unknown) => isDeepStrictEqual(heard(one), heard(other))

test('each member is theirs if only they changed it, mine if only I did, and my choice if both did', async t => {
  const things = memory([{ id: 1, text: '', labelId: null }])
  const { app, page, post, json } = await explore({
    collections: {
      things: collection(Thing, { source: things }),
      labels: collection(Label, { source: memory([{ id: 1, name: 'Spoon' }, { id: 2, name: 'Vision' }]) })
    }
  })
  const write = async ({ label, ...item }: Item) => {
    const { statusCode, body } = await app.inject({
      method: 'PATCH', url: '/things/1', payload: { ...item, label: label === null ? null : { id: idOf(label) } }
    })
    if (statusCode !== 200) t.fail(body)
  }
  const cases = fc.record({
    base: items,
    mine: changed,
    others: fc.array(changed, { minLength: 1, maxLength: 2 }),
    choices: fc.subarray(names)
  })
  await fc.assert(fc.asyncProperty(cases, async ({ base: first, mine, others, choices }) => {
    await write(first)
    let form = valuesOf(await page('/things/1?_edit'))
    let base = first
    let wanted: Item = applied(base, mine)
    // The same value leaves a text as it is stored.
    const isMine = (name: string) => !equals(wanted[name], base[name])
    for (const name of names.filter(isMine)) form[name] = typed(wanted[name])
    let isStale = true
    for (const other of others) {
      if (!isStale) break
      const now = applied(base, other)
      await write(now)
      const answer = await post('/things/1', form)
      const isLeft = (name: string) => isMine(name) && !equals(wanted[name], now[name])
      const isAsked = (name: string) => isLeft(name) && !equals(now[name], base[name])
      isStale = answer.status === 412
      if (isStale) {
        form = valuesOf(answer.body)
        const asks = (name: string) => answer.body.includes(`type="radio" name="_keep.${name}"`)
        t.strictSame(names.filter(asks), names.filter(isAsked))
      }
      const kept = isStale ? choices.filter(isAsked) : []
      for (const name of kept) form[`_keep.${name}`] = 'theirs'
      wanted = Object.fromEntries(names.map(name =>
        [name, isLeft(name) && !kept.includes(name) ? heard(wanted[name]) : now[name]]))
      base = now
    }
    if (isStale) t.equal((await post('/things/1', form)).status, 303)
    const { id: _, ...stored } = await json('/things/1')
    t.strictSame(stored, wanted)
  }), { numRuns: runsOf(150) })
})

const idOf = (label: unknown) => (label as { readonly id: number }).id
