import { Type } from '@sinclair/typebox'
import { collection, SubCollection, SubItem } from '../../lib/index.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'

// docs/http.md: Writes by a filter. A write of one may change what the path names, what others show, and who sees them.

const flags = { readable: true, writable: true }
const Node = Type.Object({
  id: Type.Integer({ readable: true, identifier: true }),
  slug: Type.String({ ...flags, identifier: true }),
  owner: Type.String({ ...flags }),
  parentId: Type.Optional(Type.Integer()),
  parent: SubItem('nodes', { foreignKey: 'parentId', ...flags }),
  children: SubCollection('nodes', { foreignKey: 'parentId', ...flags }),
  friends: SubCollection('nodes', { through: 'friends', foreignKey: 'nodeId', otherKey: 'friendId', ...flags })
})

const node = (id: number, parentId: number | null) => ({ id, slug: `n${id}`, owner: 'ann', parentId })

const world: World = {
  ddl: `create table nodes (
  id key, slug text not null unique, owner text not null, "parentId" integer references nodes) strict;
create table friends ("nodeId" integer not null references nodes, "friendId" integer not null references nodes,
  primary key ("nodeId", "friendId")) strict;`,
  tables: {
    nodes: [node(1, null), node(2, 1), node(3, 1)],
    friends: [1, 2, 3].map(friendId => ({ nodeId: 1, friendId }))
  },
  collections: source => ({
    nodes: collection(Node, {
      source: source('nodes'),
      setters: {
        owner: (node, owner) => {
          node.owner = owner
          node.slug = `${owner}${node.id}`
        }
      },
      scope: ({ request }, where) => request.headers['x-scoped'] === undefined
        ? true
        : where.any(where.equals('id', 1), where.some('parent', one => one.equals('owner', 'ann')))
    })
  })
}

const every = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] } }, world)
}

const done = (affected: number) => ({ status: 'ok', affected })

every('an item of the path may be among the items', async ({ send, get, same }) => {
  same(await send('PATCH', '/nodes/by_slug/n1/friends?id>0', { owner: 'bo' }), 200, done(3))
  same(await get('/nodes?fields=slug'), 200, [{ slug: 'bo1' }, { slug: 'bo2' }, { slug: 'bo3' }])
  same(await send('DELETE', '/nodes/by_slug/bo1/friends?id>1'), 200, done(2))
  same(await get('/nodes/1/friends?fields=id'), 200, [{ id: 1 }])
})

every('the items are shown as all writes have left them', async ({ send, same }) => {
  const prefer = { prefer: 'return=representation' }
  same(await send('PATCH', '/nodes?id<3&fields=owner,children(owner)', { owner: 'bo' }, prefer), 200, [
    { owner: 'bo', children: [{ owner: 'bo' }, { owner: 'ann' }] }, { owner: 'bo', children: [] }
  ])
})

every('no item is updated if that takes another of them away from the caller', async ({ send, get, same }) => {
  const forbidden = { error: 'forbidden', message: 'You are not allowed to do this.' }
  same(await send('PATCH', '/nodes?id>0', { owner: 'bo' }, { 'x-scoped': '1' }), 403, forbidden)
  same(await get('/nodes?fields=owner'), 200, [{ owner: 'ann' }, { owner: 'ann' }, { owner: 'ann' }])
})
