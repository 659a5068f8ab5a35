import tap, { test } from 'tap'
import { runsOf } from '../helpers/fast-check.ts'
import {
  type Answer, fileFor, openShop, race as raceOf, type Send, serveElsewhere, tally, times
} from '../helpers/on-socket.ts'

// docs/http.md: Writing, Conditional requests

// Processes take seconds to start, so they do while other tests run.
const file = fileFor(tap)
const db = openShop(file)
const starting = Promise.all([serveElsewhere(file), serveElsewhere(file)])
tap.teardown(async () => {
  for (const child of await starting) await child.stop()
  db.close()
})

const race = (name: string, run: Parameters<typeof raceOf>[1]) => {
  raceOf(name, run, { requestStrategies: { upsert: true } })
}

const count = (noted: readonly string[], start: string) => noted.filter(note => note.startsWith(start)).length
const errorOf = ({ body }: Answer) => (body as { error?: unknown }).error
const errors = (answers: readonly Answer[]) => [...new Set(answers.filter(({ status }) => status !== 201).map(errorOf))]

/**
 * Adds one to a value as often as asked, each time to what it read, until nobody else was faster. Gives every status
 * but those of the losers.
 */
async function increment (
  send: Send, path: string, often: number, next: (value: unknown) => unknown
): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < often) {
    const { body, etag } = await send('GET', path)
    const { status } = await send('PUT', path, next(body), { 'if-match': etag })
    if (status !== 412) statuses.push(status)
  }
  return statuses
}

// It takes two, and a server is not asked for more than a hundred connections.
const racers = Math.min(100, 1 + runsOf(30))

const addOne = (value: unknown) => Number(value) + 1
const addOneToText = (value: unknown) => String(addOne(value))

const upserts: ReadonlyArray<readonly [what: string, table: string, saved: number, send: (send: Send, n: number) =>
Promise<Answer>]> = [
  ['one item', 'artists', 1, (send, n) => send('PUT', '/artists/by_name/x', { email: null, rating: n % 10 })],
  ['one item where the application has no part in them', 'labels', 0,
    (send, n) => send('PUT', '/labels/by_code/XX', { city: `city ${n}` })],
  ['one item that they name by two identifiers', 'artists', 1, (send, n) => n % 2 === 0
    ? send('PUT', '/artists/by_name/x', { email: 'x@e' })
    : send('PUT', '/artists/by_email/x@e', { name: 'x' })]
]

for (const [what, table, saved, upsert] of upserts) {
  race(`upserts that race leave ${what}, no error, and exactly one 201`, async ({ send, store, noted }, same) => {
    same(tally(await Promise.all(times(racers, n => upsert(send, n)))), { 200: racers - 1, 201: 1 })
    same([(await store.rows(table)).length, count(noted, 'saved created')], [1, saved])
  })
}

race('of upserts with If-None-Match: * that race one creates and the others are 412', async ({ send, store }, same) => {
  const answers = await Promise.all(times(racers,
    n => send('PUT', '/artists/by_name/x', { email: null, rating: n % 10 }, { 'if-none-match': '*' })))
  same(tally(answers), { 201: 1, 412: racers - 1 })
  same((await store.rows('artists')).length, 1)
})

race('an update of a scalar that is guarded by If-Match is never lost', async ({ send, store }, same) => {
  await send('POST', '/artists', { name: 'x', email: null, albums: [{ title: 'y', year: 0 }] })
  await send('POST', '/labels', { code: 'XX', city: '0' })
  const statuses = await Promise.all(times(8, n => n % 2 === 0
    ? increment(send, '/albums/1/year', 4, addOne)
    : increment(send, '/labels/1/city', 4, addOneToText)))
  same(new Set(statuses.flat()), new Set([200]))
  same([(await store.rows('albums'))[0]?.['year'], (await store.rows('labels'))[0]?.['city']], [16, '16'])
})

race('of creates of one unique name that race one is 201 and the others are duplicates', async ({
  send, store, noted
}, same) => {
  const artists = await Promise.all(times(racers, () => send('POST', '/artists', { name: 'x', email: null })))
  const labels = await Promise.all(times(racers, () => send('POST', '/labels', { code: 'XX' })))
  same([tally(artists), tally(labels)], [{ 201: 1, 409: racers - 1 }, { 201: 1, 409: racers - 1 }])
  same([errors(artists), errors(labels)], [['duplicate'], ['duplicate']])
  same([(await store.rows('artists')).length, (await store.rows('labels')).length, count(noted, 'saved')], [1, 1, 1])
})

race('an array of which one item loses a race leaves none of its items', async ({ send, store }, same) => {
  const answers = await Promise.all(times(racers,
    n => send('POST', '/artists', [{ name: `own ${n}`, email: null }, { name: 'x', email: null }])))
  same(tally(answers), { 201: 1, 409: racers - 1 })
  same((await store.rows('artists')).length, 2)
})

test('two processes on one file', async t => {
  const children = await starting
  const both = <T>(count: number, run: (send: Send) => Promise<T>) =>
    Promise.all(times(count, () => children.map(({ send }) => run(send))).flat())

  await t.test('of creates of one unique name one is 201 and the others are duplicates', async t => {
    for (const name of times(4, n => `name ${n}`)) {
      const answers = await both(20, send => send('POST', '/artists', { name, email: null }))
      t.strictSame([tally(answers), errors(answers)], [{ 201: 1, 409: 39 }, ['duplicate']])
    }
    t.equal(db.driver.prepare('select 1 from artists').all().length, 4)
  })

  await t.test('the same where a create is one statement', async t => {
    for (const code of times(4, n => `code${n}`)) {
      const answers = await both(20, send => send('POST', '/labels', { code }))
      t.strictSame([tally(answers), errors(answers)], [{ 201: 1, 409: 39 }, ['duplicate']])
    }
  })

  await t.test('upserts leave one item, no error, and exactly one 201', async t => {
    const answers = await both(50, send => send('PUT', '/artists/by_name/upserted', { email: 'x@e' }))
    t.strictSame(tally(answers), { 200: 99, 201: 1 })
  })

  await t.test('an update that is guarded by If-Match is never lost', async t => {
    const [send] = children.map(child => child.send)
    const created = await send?.('POST', '/artists/by_name/upserted/albums', { title: 'y', year: 0 })
    t.equal(created?.status, 201)
    const statuses = await both(3, send => increment(send, '/albums/1/year', 6, addOne))
    t.strictSame(new Set(statuses.flat()), new Set([200]))
    t.match(db.driver.prepare('select year from albums').get(), { year: 36 })
  })
})
