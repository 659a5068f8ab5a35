import type { WriteContext } from '../../lib/index.ts'
import { shop } from '../fixtures/shop.ts'
import { runsOf } from '../helpers/fast-check.ts'
import { type Answer, race as raceOf, type Send, type Store, tally, times } from '../helpers/on-socket.ts'
import type { Collections } from '../helpers/sources.ts'

// docs/http.md: Batches

const race = (name: string, run: Parameters<typeof raceOf>[1], declare?: (noted: string[]) => Collections) => {
  raceOf(name, run, { requestStrategies: { batch: true, upsert: true } }, declare)
}

const rounds = runsOf(300)
const batch = (send: Send, operations: readonly object[]) => send('POST', '/', operations)
const names = async ({ rows }: Store) => (await rows('artists')).map(({ name }) => name)

// A deadlock would be resolved by a repetition, in which hooks run once more.
race('batches of the same items in opposite orders do not wait for each other in a circle', async ({
  send, noted
}, same) => {
  await send('POST', '/artists', ['a', 'b', 'c'].map(name => ({ name, email: null })))
  const ways = [['a', 'b', 'c'], ['c', 'b', 'a'], ['b', 'c', 'a']]
  noted.length = 0
  const answers: Answer[] = []
  // In waves: on a busy machine, the last of many would wait for a connection longer than it may.
  while (answers.length < rounds) {
    answers.push(...await Promise.all(times(Math.min(30, rounds - answers.length), n => batch(send, (ways[n % 3] ?? [])
      .map(name => ({ method: 'PATCH', path: `/artists/by_name/${name}`, body: { biography: String(n) } }))))))
  }
  same(tally(answers), { 200: rounds })
  same(noted.filter(note => note.startsWith('updating')).length, 3 * rounds)
})

race('upserts of batches that race leave one item each, no error, and exactly one 201', async ({
  send, store
}, same) => {
  const answers = await Promise.all(times(30, n => {
    const upserts = ['x', 'y'].map(name => ({ method: 'PUT', path: `/artists/by_name/${name}`, body: { email: null } }))
    const label = { method: 'PUT', path: '/labels/by_code/XX', body: {} }
    return batch(send, [...n % 2 === 0 ? upserts : upserts.toReversed(), label])
  }))
  same(tally(answers), { 200: 30 })
  const results = answers.flatMap(({ body }) => body as Array<{ status: number }>)
  same(tally(results as never), { 200: 87, 201: 3 })
  same([(await names(store)).toSorted(), (await store.rows('labels')).length], [['x', 'y'], 1])
})

let conflicts = 0

/** On PostgreSQL, the first album of all meets a conflict. */
const conflicting = (noted: string[]): Collections => source => {
  const { albums, ...others } = shop(noted)(source)
  conflicts = 0
  const creating = async (_album: object, { transaction }: WriteContext) => {
    if (transaction.kind !== 'postgres' || conflicts++ > 0) return
    await transaction.query("do $$ begin raise exception 'a conflict' using errcode = '40001'; end $$")
  }
  return { ...others, albums: { ...albums, hooks: { creating } } as never }
}

race('after a conflict, the whole batch runs again', async ({ send, store, noted }, same) => {
  const answer = await batch(send, [
    { method: 'POST', path: '/artists', body: { name: 'Can', email: null }, as: 'can' },
    { method: 'POST', path: '/$can/albums', body: { title: 'Tago Mago' } }
  ])
  same([answer.status, (await names(store)), (await store.rows('albums')).length], [200, ['Can'], 1])
  const isRepeated = conflicts > 0
  same(noted.filter(note => note.startsWith('creating')).length, isRepeated ? 2 : 1)
  same(noted.filter(note => note.startsWith('saved')).length, 1)
}, conflicting)
