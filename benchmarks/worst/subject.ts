import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { makeRows } from './world.ts'

// A process that serves one version of the package over one source, and tells its CPU time when it is asked.

const [, , entry = '', kind = '', file = ''] = process.argv
// An older version has the same names, as far as they are used here.
const { default: dataApi, collection, memory, sqlite, SubCollection, SubItem } =
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

function makeSources () {
  if (kind === 'memory') {
    const { parents, children, tags, child_tags: joined } = makeRows()
    const joins = { joins: { child_tags: joined } }
    return { parents: memory(parents), children: memory(children, joins), tags: memory(tags, joins) }
  }
  const db = sqlite(file)
  return { parents: db.table('parents'), children: db.table('children'), tags: db.table('tags') }
}

const { parents, children, tags } = makeSources()
const app = Fastify({ bodyLimit: 2 ** 22, forceCloseConnections: true })
await app.register(dataApi, {
  collections: {
    parents: collection(Parent, { source: parents }),
    children: collection(Child, { source: children }),
    tags: collection(Tag, { source: tags })
  }
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: (user + system) / 1000, rss: process.resourceUsage().maxRSS / 1024 })
})
process.send?.((app.server.address() as AddressInfo).port)
