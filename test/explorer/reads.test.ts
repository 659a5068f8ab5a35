import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, memory, SubCollection, SubItem } from '../../lib/index.ts'
import type { Source } from '../../lib/core/declare/source.ts'
import { explore } from '../helpers/explorer-pages.ts'

// docs/explorer.md: Reads of a page.

const open = { readable: true, writable: true } as const
const Part = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  kind: Type.String(open),
  wholeId: Type.Union([Type.Integer(), Type.Null()]),
  whole: SubItem('parts', { foreignKey: 'wholeId', ...open }),
  parts: SubCollection('parts', { foreignKey: 'wholeId', readable: true })
})

/** Counts the reads of a source. */
function counted (source: Source, count: { reads: number }): Source {
  const database = source.database as unknown as Record<string, (...given: unknown[]) => unknown>
  const proxy = new Proxy(database, {
    get (target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (name === 'read') count.reads++
      return typeof value === 'function' ? value.bind(target) as unknown : value
    }
  })
  return Object.freeze({ ...source, database: proxy }) as unknown as Source
}

test('a page is made of as many reads as the document says', async t => {
  const count = { reads: 0 }
  const rows = [{ id: 1, kind: 'a', wholeId: null }, { id: 2, kind: 'b', wholeId: 1 }, { id: 5, kind: 'b', wholeId: 1 }]
  const parts = collection(Part, {
    source: counted(memory(rows), count),
    requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'], import: true, dryRun: true }
  })
  const { app, page } = await explore({
    collections: { parts }, explorer: { login: '/login' }, mcp: true, imports: {}
  }, app => {
    app.addHook('onRequest', async ({ url }) => {
      if (url === '/parts?login') throw Object.assign(new Error('Log in first.'), { statusCode: 401 })
    })
  })
  await app.ready()
  for (const [url, reads, shown = '<main'] of [
    ['/', 0], ['/parts', 1], ['/parts?fields=id,whole,parts.count()', 1], ['/parts?_facet=kind', 2],
    ['/parts?_facet=kind&_facet=id', 3], ['/parts?kind=x&id=1', 3], ['/parts?fields=kind,count()', 1], ['/parts/1', 2],
    ['/parts/1?fields=kind', 1], ['/parts/1/kind', 1], ['/parts/1?_edit', 1], ['/parts/1?_delete', 1],
    ['/parts?_new', 0], ['/parts?_new=2', 1], ['/parts?id=*1,2&_edit', 1],
    ['/parts?id=*1,2&_delete', 1], ['/parts/3', 3], ['/parts?nothing=1', 0], ['/parts/by_kind', 1],
    ['/parts?_import', 0, '<h1><bdi>Import to parts'], ['/mcp', 0, '<h1><bdi>For agents'],
    ['/parts?login', 0, 'href="/login?next=']
  ] as const) {
    count.reads = 0
    const body = await page(url)
    t.equal(count.reads, reads, url)
    t.match(body, shown, url)
  }
})
