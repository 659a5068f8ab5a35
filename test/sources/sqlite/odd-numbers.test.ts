import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import dataApi, { collection, sqlite, SubCollection, SubItem } from '../../../lib/index.ts'
import Fastify from '../../helpers/fastify.ts'
import { walkPages } from '../../helpers/walk-pages.ts'

// docs/http.md: Pages and links. Following `next` visits each item once, whatever values SQLite has in a column of
// numbers.

const R = { readable: true }
const id = Type.Integer({ identifier: true, ...R })

const odd = `(1.5), ('NaN'), ('abc'), (x'00'), (9e999), (-9e999), (null), ('Infinity'), ('-Infinity'), (''), ('inf'),
  (' 2 '), ('0x10'), (9223372036854775807), (9007199254740993), (1e300), (x'4e614e'), (0), (-0.0), ('NaN'), (1),
  ('9007199254740993'), (char(1) || 'x'), ('a' || char(0) || 'b'), (x'ff')`

const orders = ['x', '-x', 'cs.x.max()', '-cs.x.max()', 'cs.x.min()', '-cs.x.min()', 'cs.x.sum()', '-cs.x.avg()']

for (const type of ['real', 'integer', 'text', '']) {
  for (const [kind, schema] of [['number', Type.Number(R)], ['integer', Type.Integer(R)]] as const) {
    test(`pages visit each item once in a column '${type}' that is a field of type ${kind}`, async t => {
      const db = sqlite(':memory:', { check: 'off' })
      db.exec(`create table p (id integer primary key, x ${type}); insert into p (x) values ${odd};
        create table c (id integer primary key, pId integer, x ${type});
        insert into c (pId, x) select id, x from p; insert into c (pId, x) select id % 7 + 1, x from p`)
      const x = Type.Optional(Type.Union([schema, Type.Null()], R))
      const app = Fastify()
      await app.register(dataApi, {
        collections: {
          p: collection(Type.Object({ id, x, cs: SubCollection('c', { foreignKey: 'pId', ...R }) }), {
            source: db.table('p')
          }),
          c: collection(Type.Object({ id, x, pId: Type.Integer(), p: SubItem('p', { foreignKey: 'pId', ...R }) }), {
            source: db.table('c')
          })
        }
      })
      for (const order of orders) {
        const whole = await app.inject(`/p?fields=id&sort=${order}`)
        t.equal(whole.json<unknown[]>().length, 25)
        t.strictSame(await walkPages(app, `/p?fields=id&sort=${order}&limit=1`), whole.json(), order)
      }
      for (const order of ['p.x', '-p.x']) {
        const whole = await app.inject(`/c?fields=id&sort=${order}`)
        t.strictSame(await walkPages(app, `/c?fields=id&sort=${order}&limit=2`), whole.json(), order)
      }
      await app.close()
      db.close()
    })
  }
}
