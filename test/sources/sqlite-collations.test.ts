import { Type } from '@sinclair/typebox'
import { channel } from 'node:diagnostics_channel'
import { test } from 'tap'
import { collection, sqlite, type StatementEvent } from '../../lib/index.ts'
import { serveMinimally as serve } from '../helpers/serve-minimally.ts'

// docs/databases.md: Types of columns. SQLite 3.53.4 reads a whole table for an `or` in which a collation is named, so
// it is named only for a column that has another one.

for (const [collation, names] of [['', false], ['collate binary', false], ['collate nocase', true]] as const) {
  for (const strict of ['', 'strict']) {
    test(`an item by either of its identifiers: a text ${collation} ${strict}`, async t => {
      const db = sqlite(':memory:')
      db.exec(`create table things (id integer primary key, name text ${collation} not null unique) ${strict};
        insert into things values (1, 'a'), (2, 'b'), (3, '1')`)
      const Thing = Type.Object({
        id: Type.Integer({ identifier: true, readable: true }), name: Type.String({ identifier: true, readable: true })
      })
      const { app, send } = await serve({ things: collection(Thing, { source: db.table('things') }) })
      const texts: string[] = []
      const note = (event: unknown) => { texts.push((event as StatementEvent).text) }
      channel('fastify-data-api:statement').subscribe(note)
      t.strictSame(await send('GET', '/things/b'), [200, { id: 2, name: 'b' }])
      t.strictSame((await send('GET', '/things/B'))[0], 404)
      t.strictSame((await send('GET', '/things/1'))[0], 409)
      t.strictSame(await send('GET', '/things/by_name/1'), [200, { id: 3, name: '1' }])
      channel('fastify-data-api:statement').unsubscribe(note)
      t.ok(texts.length > 0)
      t.strictSame(texts.filter(text => text.includes('collate binary')).length > 0, names)
      await app.close()
      db.close()
    })
  }
}
