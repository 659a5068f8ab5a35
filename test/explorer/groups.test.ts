import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory, SubItem } from '../../lib/index.ts'
import { explore, plain } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Listings. The link of a group leads to the items that make it.

const open = { readable: true } as const
const orNull = (type: Parameters<typeof Type.Union>[0][number]) => Type.Union([type, Type.Null()], open)
const Event = Type.Object({
  id: Type.Integer({ identifier: true, ...open }),
  at: orNull(Type.String({ format: 'date-time' })),
  day: Type.String({ format: 'date', ...open }),
  kind: orNull(Type.String()),
  size: Type.Number(open),
  secret: Type.String({ ...open, filterable: false }),
  placeId: Type.Integer(),
  place: SubItem('places', { foreignKey: 'placeId', ...open })
})
const Place = Type.Object({
  id: Type.Integer({ identifier: true, ...open }), name: Type.String({ identifier: true, ...open })
})

const kinds = ['', 'null', 'a,b', '"', '*x', 'a&b=c', null]
const rows = kinds.flatMap((kind, index) => [0, 1].map(more => ({
  id: index * 2 + more,
  kind,
  at: index === 3 ? null : `2026-0${index + 1}-2${more}T0${index}:59:59.500Z`,
  day: `2026-12-3${more}`,
  size: index / 10,
  secret: 'x',
  placeId: more
})))

const { app, page } = await explore({
  collections: {
    events: collection(Event, { source: memory(rows) }),
    places: collection(Place, { source: memory([{ id: 0, name: 'Köln' }, { id: 1, name: 'Graz' }]) })
  }
})

test('the number of each group leads to as many items', async t => {
  for (const [fields, groups] of [
    ['kind', 7], ['at.month()', 7], ['at.hour()', 13], ['day.week()', 1], ['size,kind', 7], ['place(name),at.year()', 4]
  ] as const) {
    const url = `/events?fields=${fields},count()&id>=0`
    const made = (await app.inject({ url })).json<ReadonlyArray<{ readonly count: number }>>()
    t.equal(made.length, groups, fields)
    const body = await page(url)
    const links = [...body.matchAll(/<td class="num"><div class="sum">[^]*?<a class="ref" href="([^"]*)">/g)]
      .map(([, href = '']) => plain(href))
    t.equal(links.length, groups)
    for (const [at, link] of links.entries()) {
      t.equal((await app.inject({ url: link })).json<unknown[]>().length, made[at]?.count, link)
    }
  }
})

test('groups of time have a chart, whose bars lead to their items in the order of time', async t => {
  const body = await page('/events?fields=at.month(),count(),size.sum()&sort=-count()')
  const links = [...body.matchAll(/<a href="([^"]*)" aria-label="([^"]*)"><rect/g)]
  t.strictSame(links.map(([, , label]) => label), ['01', '02', '03', '05', '06', '07'].map(one => `2026-${one}: 2`))
  t.match(body, /<svg class="chart"[^>]* aria-label="count by month of at">/)
  t.match(body, '<bdi>sum of size</bdi>')
  t.match(body, '<small>by month of at</small>')
  t.equal((await app.inject(plain(String(links[0]?.[1])))).json<unknown[]>().length, 2)
  t.notMatch(await page('/events?fields=kind,count()'), '"chart"')
  t.notMatch(await page('/events?fields=at.month(),kind,count()'), '"chart"')
  t.match(await page('/events'), 'href="/events?fields=at.month(),count()&amp;sort=at.month()">at</a>')
})

test('groups that no filter finds have no link', async t => {
  t.notMatch(await page('/events?fields=secret,count()'), 'class="ref"')
})
