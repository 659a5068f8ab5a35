import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'

// A process that serves one version of the package over a SQLite file, and tells its CPU time when it is asked.

const [, , entry = '', file = ''] = process.argv
// An older version has the same names, as far as they are used here.
const { default: dataApi, collection, sqlite, SubCollection, SubItem } =
  await import(entry) as typeof import('../../lib/index.ts')

const shown = { readable: true } as const
const id = Type.Integer({ identifier: true, ...shown })
const Parent = Type.Object({
  id, text: Type.String(shown), children: SubCollection('children', { foreignKey: 'parentId', ...shown, hidden: true })
})
const through = 'child_tags'
const Child = Type.Object({
  id,
  rank: Type.Integer(shown),
  text: Type.String(shown),
  parentId: Type.Union([Type.Integer(), Type.Null()]),
  parent: SubItem('parents', { foreignKey: 'parentId', ...shown, hidden: true }),
  tags: SubCollection('tags', { through, foreignKey: 'childId', otherKey: 'tagId', ...shown, hidden: true })
})
const Tag = Type.Object({
  id,
  word: Type.String(shown),
  children: SubCollection('children', { through, foreignKey: 'tagId', otherKey: 'childId', ...shown, hidden: true })
})

const db = sqlite(file)
const app = Fastify({ bodyLimit: 2 ** 22, forceCloseConnections: true })
await app.register(dataApi, {
  collections: {
    parents: collection(Parent, { source: db.table('parents') }),
    children: collection(Child, { source: db.table('children') }),
    tags: collection(Tag, { source: db.table('tags') })
  }
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: (user + system) / 1000, rss: process.resourceUsage().maxRSS / 1024 })
})
process.send?.((app.server.address() as AddressInfo).port)
