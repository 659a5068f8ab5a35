import { Type } from '@sinclair/typebox'
import { collection } from '../../lib/index.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'

// docs/own-code.md: Queries

const flags = { readable: true, writable: true }
const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, ...flags }),
  born: Type.Optional(Type.String({ format: 'date', ...flags }))
})
const told: number[] = []
const world: World = {
  ddl: 'create table artists (id key, name text not null unique, born text);',
  tables: { artists: [{ id: 1, name: 'Can', born: null }] },
  collections: source => ({
    artists: collection(Artist, {
      source: source('artists'),
      requestStrategies: { upsert: true },
      hooks: { imported: count => { told.push(count) } },
      rules: { create: ({ request }) => request.headers['x-denied'] === undefined }
    })
  })
}

async function * many (from: number, to: number) {
  for (let n = from; n <= to; n++) yield { name: `a${n}`, born: new Date('2001-12-31') }
}

const own = ({ app }: Tools) => app.dataApi.collection('artists').asSystem()
const counts = (created: number, updated = 0, ignored = 0) => ({ created, updated, ignored })

everySource('own code imports the items of an iterable, all or none', async tools => {
  const { t } = tools
  const artists = own(tools)
  told.length = 0
  t.strictSame(await artists.import(many(1, 2500)), counts(2500))
  t.strictSame(await artists.import([{ name: 'x' }], { dryRun: true }), counts(1))
  t.strictSame(told, [2500])
  t.strictSame((await artists.get({ name: 'a7' }))['born'], '2001-12-31')
  await t.rejects(artists.import([{ name: 'x' }, { name: 'Can' }]), { code: 'duplicate', facts: { line: 2 } } as never)
  await t.rejects(artists.import([{ name: 5 }]), { code: 'validation' })
  async function * failing () {
    yield * many(3000, 6000)
    throw new Error('no more')
  }
  await t.rejects(artists.import(failing()), { message: 'no more' })
  t.equal(await artists.count(), 2501)
}, {}, world)

everySource('items that exist are updated or left, and rules are asked', async tools => {
  const { t, app } = tools
  const artists = own(tools)
  t.strictSame(await artists.import([{ name: 'Can', born: '1968-01-01' }, { name: 'Neu!' }], { merge: 'name' }),
    counts(1, 1))
  t.strictSame(await artists.import([{ name: 'Can', born: '1999-01-01' }, { name: 'Faust' }], { ignore: 'name' }),
    counts(1, 0, 1))
  t.equal((await artists.get(1))['born'], '1968-01-01')
  await t.rejects(artists.import([], { merge: 'born' }), { code: 'invalid_parameter' })
  await t.rejects(app.dataApi.transaction(async tx => tx.asSystem().collection('artists').import([])), TypeError)
  const denied = { raw: {}, headers: { 'x-denied': '1' } } as never
  await t.rejects(app.dataApi.as(denied).collection('artists').import([{ name: 'y' }]), { code: 'forbidden' })
}, {}, world)
