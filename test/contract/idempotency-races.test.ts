import { test } from 'tap'
import dataApi, { collection } from '../../lib/index.ts'
import { collections, ddl, idempotency, Note, noTables, world } from '../fixtures/keyed-notes.ts'
import { everySource } from '../helpers/every-source.ts'
import { runsOf } from '../helpers/fast-check.ts'
import Fastify from '../helpers/fastify.ts'
import { times } from '../helpers/on-socket.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'
import { kyselyOpeners, type Opened } from '../helpers/sources.ts'

// docs/http.md: Idempotency keys. Repetitions that race, and transactions that end in the middle.

const payload = (text: string) => ({ text, marks: [{ name: text }] })

/** Fails the writes of requests that say so, after they have written. */
const failing = (source: Opened['source']) => ({
  ...collections(source),
  notes: collection(Note, {
    source: source('notes'),
    hooks: {
      async created (_note, { request }) {
        await new Promise(resolve => { setImmediate(resolve) })
        if (request?.headers['x-fail'] !== undefined) throw Object.assign(new Error('failed'), { statusCode: 409 })
      }
    }
  })
})

everySource('of twenty that race under one key, one writes, and all that do not fail get its answer', async tools => {
  const { t, send, opened } = tools
  for (let round = 0; round < runsOf(10); round++) {
    const answers = await Promise.all(times(20, n => send('POST', '/notes', payload(`r${round}`), {
      'idempotency-key': `r${round}`, ...n % 3 === round % 3 && { 'x-fail': '1' }
    })))
    const done = answers.filter(({ statusCode }) => statusCode === 201)
    t.equal(new Set(done.map(({ body, headers }) => `${body} ${String(headers['location'])}`)).size, 1)
    t.equal(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length, 1)
    t.strictSame(answers.filter(one => !done.includes(one) && one.statusCode !== 409).map(one => one.body), [])
    t.equal((await opened.rows('notes')).length, round + 1)
    t.equal((await opened.rows('marks')).length, round + 1)
  }
}, { requestStrategies: { upsert: true } }, { ...world, collections: failing })

everySource('upserts that race under one key are one item and one answer', async ({ t, send, opened }) => {
  const answers = await Promise.all(times(20, () => send('PUT', '/notes/by_text/x', { owner: 'bo' }, {
    'idempotency-key': 'x'
  })))
  t.strictSame(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size, 1)
  t.equal((await opened.rows('notes')).length, 1)
}, { requestStrategies: { upsert: true } }, world)

for (const [name, open] of Object.entries(withoutPostgres ? {} : kyselyOpeners)) {
  test(`a write through ${name} is done once under its key`, async t => {
    const opened = await open(noTables, ddl)
    const app = Fastify()
    await app.register(dataApi, { ...idempotency(opened.source), collections: collections(opened.source) })
    const send = () => app.inject({
      method: 'POST', url: '/notes', headers: { 'idempotency-key': 'k' }, payload: payload('a')
    })
    const answers = await Promise.all(times(6, send))
    t.strictSame([...new Set(answers.map(one => `${one.statusCode} ${one.body}`))], ['201 {"status":"created","id":1}'])
    t.equal((await opened.rows('notes')).length, 1)
    await app.close()
    await opened.close()
  })
}
