import { Type } from '@sinclair/typebox'
import { ArgumentError, collection, SubCollection, SubItem } from '../../lib/index.ts'
import { everySource, type World } from '../helpers/every-source.ts'

// docs/http.md: Writing

const Folder = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  articles: SubCollection('articles', { foreignKey: 'folderId', readable: true })
})
const Article = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ identifier: true, readable: true, writable: true }),
  deletedAt: Type.Union([Type.String(), Type.Null()]),
  folderId: Type.Integer({ writable: true }),
  folder: SubItem('folders', { foreignKey: 'folderId', readable: true })
})

const calls: unknown[] = []

const unprocessable = () => Object.assign(new Error('Not today.'), {
  statusCode: 422,
  details: [{ pointer: '/title', message: 'is used up' }, { pointer: '/folder_id', message: 'is full' }]
})

const world: World = {
  ddl: `create table folders (id key) strict;
    create table articles (id key, title text not null unique, "deletedAt" text,
      "folderId" integer not null references folders) strict;`,
  tables: {
    folders: [{ id: 1 }],
    articles: [
      { id: 1, title: 'one', deletedAt: null, folderId: 1 },
      { id: 2, title: 'two', deletedAt: null, folderId: 1 }
    ]
  },
  collections: source => ({
    folders: collection(Folder, { source: source('folders') }),
    articles: collection(Article, {
      source: source('articles'),
      requestStrategies: { delete: true },
      scope: () => ({ deletedAt: null }),
      rules: { update: ({ request }) => request.method !== 'DELETE' },
      setters: {
        title (article, title) {
          if (title === 'refused') throw new ArgumentError('No.', { field: 'title' })
          if (title === 'unprocessable') throw unprocessable()
          article.title = title
        }
      },
      delete: (article, { request }) => {
        if (article.title === 'two') throw new ArgumentError('Two is needed.', { field: 'folderId' })
        article.deletedAt = `by ${request?.method}`
      },
      hooks: {
        updating: ({ folderId }) => { if (folderId === 7) throw unprocessable() },
        deleting: ({ title }) => { calls.push(['deleting', title]) },
        deleted: ({ deletedAt }) => { calls.push(['deleted', deletedAt]) },
        saved: ({ kind }) => { calls.push(kind) }
      }
    })
  })
}

everySource('a deletion that changes the item hides it from readers, links and counts', async tools => {
  const { t, app, get, send, same, opened } = tools
  calls.length = 0
  same(await send('DELETE', '/articles/1'), 200, { status: 'ok' })
  t.strictSame(calls, [['deleting', 'one'], ['deleted', null], 'deleted'])
  t.equal((await get('/articles/1')).statusCode, 404)
  t.equal((await get('/articles/one')).statusCode, 404)
  same(await get('/folders/1?fields=articles(title)'), 200, { articles: [{ title: 'two' }] })
  same(await get('/folders?articles.title=one'), 200, [])
  same(await get('/articles?fields=id', { prefer: 'count=exact' }), 200, [{ id: 2 }], { 'x-total-count': '1' })
  t.equal((await send('DELETE', '/articles/1')).statusCode, 404)
  t.match(await opened.rows('articles'), [{ id: 1, deletedAt: 'by DELETE' }, { id: 2, deletedAt: null }])
  t.equal((await app.dataApi.asSystem().collection('articles').list()).items.length, 2)
}, {}, world)

everySource('an error of a setter or hook points to the field that it names, if the body has it', async tools => {
  const { send, same } = tools
  const error = { error: 'argument', message: 'Two is needed.', pointer: '/folder_id' }
  same(await send('DELETE', '/articles/2'), 400, error)
  const refused = { error: 'argument', message: 'No.' }
  same(await send('PATCH', '/articles/1', { title: 'refused' }), 400, { ...refused, pointer: '/title' })
  same(await send('POST', '/articles', [{ title: 'x', folder_id: 1 }, { title: 'refused', folder_id: 1 }]), 400,
    { ...refused, pointer: '/1/title' })
  // The body is the value itself.
  same(await send('PUT', '/articles/1/title', 'refused'), 400, refused)
}, {}, world)

everySource('an error with a status that a setter or hook throws keeps its details', async ({ send, same }) => {
  const details = [{ pointer: '/title', message: 'is used up' }, { pointer: '/folder_id', message: 'is full' }]
  const refused = { error: 'rejected', message: 'Not today.', details }
  same(await send('PATCH', '/articles/1', { title: 'unprocessable' }), 422, refused)
  same(await send('POST', '/articles', { title: 'unprocessable', folder_id: 1 }), 422, refused)
  same(await send('PUT', '/articles/1/title', 'unprocessable'), 422, refused)
  same(await send('PATCH', '/articles/1', { folder_id: 7 }), 422, refused)
}, {}, world)
