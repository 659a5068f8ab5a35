import { Type } from '@sinclair/typebox'
import Fastify from './fastify.ts'
import type { AddressInfo } from 'node:net'
import dataApi, { collection, computed, sqlite, SubCollection, SubItem } from '../../lib/index.ts'

// A server process that is allowed little memory. small-server's parent receives its port, and with each message the
// most memory that it has had, in megabytes.

const [, , file = ''] = process.argv
const shown = { readable: true }
const Node = Type.Object({
  id: Type.Integer({ identifier: true, ...shown }),
  text: Type.String(shown),
  parentId: Type.Integer(),
  parent: SubItem('nodes', { foreignKey: 'parentId', ...shown, hidden: true }),
  children: SubCollection('nodes', { foreignKey: 'parentId', ...shown, hidden: true }),
  zeros: SubCollection('zeros', { foreignKey: 'parentId', ...shown, hidden: true })
})
const Document = Type.Object({ id: Type.Integer({ identifier: true, ...shown }), text: Type.String(shown) })
const Zero = Type.Object({ ...Document.properties, parentId: Type.Integer() })

// A slow machine is none of what its test asks.
const db = sqlite(file, { statementTimeout: 60_000 })
// Each of 1,000 nodes has the same parent. 200 documents have 400,000 characters each. Of 550 letters, all but the
// first 30 have as many, and so has each of 1,000 zeros of the first node, from a NUL on.
db.exec(`
create table nodes (id integer primary key, text text not null, parentId integer not null);
create index nodes_parent on nodes (parentId);
create table documents (id integer primary key, text text not null);
with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)
insert into nodes select i, hex(zeroblob(100)), 1 from n;
with recursive n (i) as (select 1 union all select i + 1 from n where i < 200)
insert into documents select i, hex(zeroblob(200000)) from n;
create view letters as select id, case when id > 30 then hex(zeroblob(200000)) else '' end as text
from nodes where id <= 550;
create view zeros as select id, char(0) || hex(zeroblob(200000)) as text, parentId from nodes`)
const length = computed<{ text: string }, 'text', ReturnType<typeof Type.Integer>>({
  type: Type.Integer(shown), from: ['text'], get: ({ text }) => text.length
})
const app = Fastify()
await app.register(dataApi, {
  collections: {
    nodes: collection(Node, { source: db.table('nodes'), computed: { length } }),
    documents: collection(Document, { source: db.table('documents') }),
    letters: collection(Document, { source: db.table('letters') }),
    zeros: collection(Zero, { source: db.table('zeros'), computed: { length } })
  }
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.on('message', () => { process.send?.(process.resourceUsage().maxRSS / 1024) })
process.send?.((app.server.address() as AddressInfo).port)
