import { transform } from 'esbuild'
import Fastify from '../helpers/fastify.ts'
import { setTimeout } from 'node:timers/promises'
import {
  CoreAdminContext, type DataProvider, type HttpError, memoryStore, ResourceContextProvider, TestMemoryRouter,
  useCreateController, useDelete, useDeleteMany, useEditController, useGetList, useGetManyReference, useGetOne,
  useListController, useReference, useReferenceManyFieldController, useUpdate, useUpdateMany
} from 'ra-core'
import { Type } from '@sinclair/typebox'
import { createElement, useEffect } from 'react'
import { create } from 'react-test-renderer'
import { type Test, test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import { createDataProvider, type DataProviderOptions } from '../../lib/clients/react-admin/index.ts'
import { library } from '../fixtures/library.ts'
import { orderLines } from '../fixtures/order-lines.ts'
import { programsIn, read, writeProgram } from '../helpers/documents.ts'
import { openers } from '../helpers/sources.ts'

// docs/clients.md#react-admin: the calls are those of react-admin's own hooks, which are rendered without a page.

async function serve (t: Test, api: Partial<DataApiOptions> = {}, options: DataProviderOptions = {}) {
  const app = Fastify({ forceCloseConnections: true })
  const requests: string[] = []
  app.addHook('preHandler', async ({ method, url, body, headers }) => {
    const sent = [method, decodeURIComponent(url), body && JSON.stringify(body), headers['if-match'] && 'if-match']
    requests.push(sent.filter(Boolean).join(' '))
  })
  await app.register(dataApi, { collections: library(), requestStrategies: { delete: true }, ...api })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  // This assignment compiles: the provider is one of react-admin's.
  const provider: DataProvider = createDataProvider(url, {
    resources: {
      authors: { search: ['name'] },
      books: { fields: ['title', 'pages', { author: ['id', 'name'] }], references: { author: 'authors' } }
    },
    ...options
  })
  return { app, provider, requests }
}

/** Renders a hook of react-admin, and returns a function that waits until its result is as expected. */
function render<R> (t: Test, provider: DataProvider, hook: () => R, resource = 'authors') {
  const results: R[] = []
  const Hook = () => {
    const current = hook()
    // After the effects of the hook.
    useEffect(() => { results.push(current) })
    return null
  }
  const rendered = create(createElement(TestMemoryRouter, null, createElement(CoreAdminContext, {
    dataProvider: provider,
    store: memoryStore(),
    children: createElement(ResourceContextProvider, { value: resource, children: createElement(Hook, null) })
  })))
  t.teardown(() => rendered.unmount())
  return async (expected: (result: R) => unknown): Promise<R> => {
    while (!results.slice(-1).some(expected)) await setTimeout(2)
    return results.at(-1) as R
  }
}

const addAuthors = (provider: DataProvider, count: number) => Promise.all(Array.from({ length: count }, (_, index) =>
  provider.create('authors', { data: { name: `A${index}`, rating: index % 10 } })))

const failure = async (promise: Promise<unknown>): Promise<HttpError> =>
  await promise.then(() => { throw new Error('it succeeded') }, (error: unknown) => error as HttpError)

test('a list of react-admin is paged, sorted, filtered and counted', async t => {
  const { provider, requests } = await serve(t)
  await addAuthors(provider, 7)
  requests.length = 0
  const until = render(t, provider, () => useListController({ perPage: 4, sort: { field: 'name', order: 'ASC' } }))
  const names = (list: { readonly data?: ReadonlyArray<{ name?: string }> | undefined }) =>
    list.data?.map(({ name }) => name).join()
  const first = await until(list => names(list) === 'A0,A1,A2,A3')
  t.match(first, { total: 9, hasNextPage: true, hasPreviousPage: false })
  first.setPage(2)
  const second = await until(list => names(list) === 'A4,A5,A6,Ada')
  second.setPage(3)
  const third = await until(list => names(list) === 'Bo')
  t.match(third, { total: 9, hasNextPage: false, hasPreviousPage: true })
  third.setFilters({ rating: { gte: 4 }, q: 'a' })
  third.setSort({ field: 'rating', order: 'DESC' })
  const found = await until(list => names(list) === 'Ada,A6,A5,A4')
  t.equal(found.total, 4)
  t.equal(requests[0], 'GET /authors?.sort=name&.offset=0&.size=4')
})

test('a page can have more items than a page of the API', async t => {
  const { provider, requests } = await serve(t, { pages: { maxSize: 3 } })
  await addAuthors(provider, 8)
  requests.length = 0
  const { data, total } = await provider.getList('authors', {
    pagination: { page: 2, perPage: 7 }, sort: { field: 'id', order: 'ASC' }, filter: {}
  })
  t.strictSame([data.map(({ id }: { id: number }) => id), total], [[8, 9, 10], 10])
  const all = await provider.getList('authors', { pagination: { page: 1, perPage: 50 } })
  t.equal(all.data.length, 10)
  t.strictSame((await provider.getMany('authors', { ids: [1, '3', 5, 7, 99] })).data.map(({ id }) => id), [1, 3, 5, 7])
})

test('many records are read by GET, as many at once as a URL takes', async t => {
  const { provider, requests } = await serve(t, { pages: { maxSize: 2 } }, {
    maxQuery: 120, resources: { authors: { fields: ['name'] }, books: { fields: ['title'], key: ['title', 'pages'] } }
  })
  await addAuthors(provider, 18)
  requests.length = 0
  const ids = Array.from({ length: 20 }, (_, index) => 20 - index)
  const { data } = await provider.getMany('authors', { ids })
  t.strictSame(data.map(({ id }: { id: number }) => id).sort((one, other) => one - other), ids.toReversed())
  t.ok(requests.length > 2 && requests.every(request => request.startsWith('GET /authors?')), requests.join('\n'))
  requests.length = 0
  await provider.getMany('books', { ids: Array.from({ length: 30 }, (_, index) => `One,${index}`) })
  t.ok(requests.length > 5 && requests.every(request => request.startsWith('GET ')))
  t.strictSame(await provider.getMany('authors', { ids: [] }), { data: [] })
})

test('a resource that is not counted says if there is another page', async t => {
  const { provider } = await serve(t, {}, { resources: { authors: { count: false } } })
  await addAuthors(provider, 3)
  const until = render(t, provider, () => useGetList('authors', { pagination: { page: 1, perPage: 3 } }))
  const { pageInfo, total } = await until(({ data }) => data)
  t.strictSame([pageInfo, total], [{ hasNextPage: true, hasPreviousPage: false }, undefined])
})

test('a form sends the members that were changed, and no change of others is lost', async t => {
  const { app, provider, requests } = await serve(t)
  const edited = () => useEditController({ id: 1, mutationMode: 'pessimistic', redirect: false })
  const until = render(t, provider, edited)
  const { record, save } = await until(edit => edit.record)
  requests.length = 0
  await save?.({ ...record as object, name: 'Ann', seen: new Date('2024-01-01T00:00:00.000Z'), notes: undefined })
  const after = await until(edit => edit.record?.name === 'Ann')
  t.match(requests[0], 'PATCH /authors/1 {"name":"Ann"} if-match')
  await app.inject({ method: 'PATCH', url: '/authors/1', payload: { rating: 1 } })
  const lost = await failure(provider.update('authors', { id: 1, data: { rating: 2 }, previousData: after.record }))
  t.match(lost, { status: 412, body: { error: 'precondition_failed' } })
  const overwriting = { id: 1, data: { rating: 2 }, previousData: after.record, meta: { overwrite: true } }
  t.match((await provider.update('authors', overwriting)).data, { id: 1, name: 'Ann', rating: 2 })
})

test('mistakes in a form stand beside its inputs', async t => {
  t.capture(console, 'error')
  const { provider } = await serve(t)
  const until = render(t, provider, () => useEditController({ id: 1, mutationMode: 'pessimistic', redirect: false }))
  const { record, save } = await until(edit => edit.record)
  t.match(await save?.({ ...record as object, rating: 11, born: 'x' }), { rating: /at most 10/, born: /date/ })
  const { save: add } = await render(t, provider, () => useCreateController({ redirect: false }))(create => create.save)
  t.match(await add?.({ name: 'Cy', rating: 1, books: [{ title: 'T', pages: 0 }] }), { 'books.0.pages': /1/ })
  const missing = await failure(provider.getOne('authors', { id: 99 }))
  t.match(missing, { status: 404, body: { error: 'identifier_not_found' } })
})

test('records refer to each other', async t => {
  const { provider, requests } = await serve(t)
  await addAuthors(provider, 2)
  for (const author of [1, 1, 3]) {
    await provider.create('books', { data: { title: `By ${author}`, pages: 1, author_id: author } })
  }
  requests.length = 0
  const referred = render(t, provider, () => [1, 3].map(id => useReference({ reference: 'authors', id })))
  const references = await referred(all => all.every(({ referenceRecord }) => referenceRecord))
  t.strictSame(references.map(({ referenceRecord }) => referenceRecord?.['name']), ['Ada', 'A0'])
  t.strictSame(requests, ['GET /authors?.where=id=*1,3&.offset=0&.size=2'], 'one request for all references')
  const until = render(t, provider, () => useReferenceManyFieldController({
    reference: 'books',
    target: 'author.id',
    record: { id: 1 },
    page: 1,
    perPage: 2,
    sort: { field: 'title', order: 'ASC' }
  }))
  const { data, total } = await until(list => list.data)
  t.match([data, total], [[{ title: 'By 1', pages: 1, author: { id: 1, name: 'Ada' } }, {}], 3])
  const direct = await render(t, provider, () => useGetManyReference('books', {
    target: 'author.id', id: 1, filter: { title: 'One' }
  }))(list => list.data)
  t.equal(direct.total, 1)
})

test('records are moved, and deleted', async t => {
  const { provider, requests } = await serve(t, { collections: { ...library(), books: library().books } })
  const [book] = (await provider.getList('books', {})).data
  const until = render(t, provider, () => ({
    update: useUpdate('books', undefined, { returnPromise: true })[0],
    updateMany: useUpdateMany('authors', undefined, { returnPromise: true })[0],
    remove: useDelete('books', undefined, { returnPromise: true })[0],
    removeMany: useDeleteMany('authors', undefined, { returnPromise: true })[0],
    one: useGetOne('books', { id: book.id })
  }))
  const { update, updateMany, remove, removeMany, one } = await until(({ one }) => one.data?.author)
  requests.length = 0
  const moved = { ...one.data, author: { ...one.data.author, id: 2 } }
  await update('books', { id: book.id, data: moved, previousData: one.data })
  t.equal(requests[0], `PATCH /books/${book.id} {"author":{"id":2}} if-match`)
  await updateMany('authors', { ids: [1, 2], data: { rating: 3 } })
  t.strictSame((await provider.getList('authors', {})).data.map(({ rating }) => rating), [3, 3])
  const current = (await provider.getOne('books', { id: book.id })).data
  t.match(await remove('books', { id: book.id, previousData: current }), { id: book.id })
  t.strictSame(await removeMany('authors', { ids: [1, 2] }), [1, 2])
  t.equal((await provider.getList('authors', {})).total, 0)
})

test('several records are written by one request, as the API takes it', async t => {
  const requestStrategies = { delete: true, bulk: ['DELETE' as const], batch: { operations: 3 } }
  const { app, provider, requests } = await serve(t, { requestStrategies, bodies: { items: 3, affected: 2 } })
  for (const name of ['Cy', 'Di', 'Ed', 'Fay', 'Gil', 'Hal']) {
    await app.inject({ method: 'POST', url: '/authors', payload: { name, rating: 1 } })
  }
  requests.length = 0
  const { updateMany, deleteMany } = provider
  const rate = (ids: Array<string | number>, rating: unknown = 3) => updateMany('authors', { ids, data: { rating } })
  t.strictSame(await rate([1, 2]), { data: [1, 2] })
  t.strictSame(requests.splice(0), ['OPTIONS /authors', 'PATCH /authors [{"rating":3,"id":1},{"rating":3,"id":2}]'])
  await t.rejects(rate([1, 99], 4), { code: 'identifier_not_found' })
  await t.rejects(rate([1, 2], 'x'), { code: 'validation' })
  requests.length = 0
  t.strictSame(await rate(['1', '2']), { data: ['1', '2'] })
  t.match(requests.splice(0), [/^PATCH /, /^POST \/ /], 'the key is a number')
  t.strictSame(await rate([1, 2, 3, 4]), { data: [1, 2, 3, 4] })
  t.equal(requests.splice(0).length, 6, 'more than all limits')
  t.strictSame(await deleteMany('authors', { ids: [3, 4] }), { data: [3, 4] })
  t.strictSame(requests.splice(0), ['DELETE /authors?.where=id=*3,4'])
  t.strictSame(await deleteMany('authors', { ids: [5, 6, 7] }), { data: [5, 6, 7] })
  t.match(requests.splice(0), [/^DELETE \/authors\?/, /^POST \/ /])
  const other = await serve(t)
  await other.app.inject({ method: 'POST', url: '/authors', payload: { name: 'Cy', rating: 1 } })
  other.requests.length = 0
  t.strictSame(await other.provider.deleteMany('authors', { ids: [2, 3] }), { data: [2, 3] })
  t.match(other.requests, ['OPTIONS /authors', 'OPTIONS /', /^DELETE /, /^DELETE /])
})

test('deleteMany passes over what does not exist, however the API takes deletions', async t => {
  const forms: ReadonlyArray<[DataApiOptions['requestStrategies'], readonly RegExp[]]> = [
    [{ delete: true, bulk: ['DELETE'] }, [/^DELETE \/authors\?/]],
    [{ delete: true, batch: true }, [/^POST \/ /, /^DELETE /, /^DELETE /, /^DELETE /]],
    [{ delete: true }, [/^DELETE /, /^DELETE /, /^DELETE /]]
  ]
  for (const [requestStrategies, sent] of forms) {
    const { app, provider, requests } = await serve(t, { requestStrategies: requestStrategies ?? {} })
    await app.inject({ method: 'POST', url: '/authors', payload: { name: 'Cy', rating: 1 } })
    requests.length = 0
    t.strictSame(await provider.deleteMany('authors', { ids: [2, 99, 3] }), { data: [2, 99, 3] })
    t.match(requests.filter(request => !request.startsWith('OPTIONS')), sent)
    t.strictSame((await provider.getList('authors', {})).data.map(({ id }) => id), [1])
    await t.rejects(provider.deleteMany('authors', { ids: [98] }), { code: 'identifier_not_found' })
    await t.rejects(provider.updateMany('authors', { ids: [1, 99], data: { rating: 2 } }),
      { code: 'identifier_not_found' })
    await t.rejects(provider.deleteMany('nothing', { ids: [1, 2] }), { code: 'collection_not_found' })
  }
})

test('deleteMany of many long keys makes no URL that is too long', async t => {
  const Page = Type.Object({ slug: Type.String({ identifier: true, readable: true, writable: true }) })
  const slugs = Array.from({ length: 60 }, (_, index) => `${index}`.padStart(100, 'x'))
  const source = memory(slugs.map(slug => ({ slug })))
  const { provider, requests } = await serve(t, {
    collections: { pages: collection(Page, { source }) },
    requestStrategies: { delete: true, bulk: ['DELETE'], batch: true }
  }, { resources: { pages: { key: 'slug' } } })
  await provider.deleteMany('pages', { ids: slugs })
  t.ok(requests.every(request => request.startsWith('POST ') || request.length < 4100))
  t.equal((await provider.getList('pages', {})).total, 0)
})

test('several records are not written where the API does not tell what it takes, and one is', async t => {
  let told = false
  const reaching: typeof fetch = async (url, init) => init?.method === 'OPTIONS' && !told
    ? new Response(null, { status: 204 })
    : fetch(url, init)
  const { provider, requests } = await serve(t, { requestStrategies: { batch: true } }, { fetch: reaching as never })
  const rate = (...ids: number[]) => provider.updateMany('authors', { ids, data: { rating: 3 } })
  await t.rejects(rate(1, 2), { name: 'ApiError', code: 'network', outcome: 'failed', message: /corsOptions/ })
  await t.rejects(provider.deleteMany('authors', { ids: [1, 2] }), { message: /corsOptions/ })
  t.strictSame(requests, [])
  t.strictSame(await rate(1), { data: [1] })
  told = true
  t.strictSame(await rate(1, 2), { data: [1, 2] }, 'it is asked again')
})

test('a key of several fields, or of another name, is the id of a record', async t => {
  const { collections, tables } = orderLines({ delete: true })
  const { source } = await openers.memory(tables)
  const { provider } = await serve(t, { collections: collections(source) }, {
    resources: {
      lines: { key: ['order_id', 'product_id'] },
      regions: { key: ['country', 'code'], fields: ['name'] },
      labels: { key: 'code' }
    }
  })
  const ids = async (resource: string, order: 'ASC' | 'DESC' = 'ASC') =>
    (await provider.getList(resource, { sort: { field: 'id', order } })).data.map(({ id }) => id as string)
  t.strictSame(await ids('labels', 'DESC'), ['late', 'gift'])
  t.strictSame(await ids('lines', 'DESC'), ['2,7', '1,8', '1,7'])
  t.match((await provider.getMany('lines', { ids: ['1,8', '2,7'] })).data, [
    { id: '1,8', quantity: 2 }, { id: '2,7', quantity: 5 }
  ])
  const { data: line } = await provider.getOne('lines', { id: '1,7' })
  const updated = await provider.update('lines', { id: '1,7', data: { ...line, quantity: 6 }, previousData: line })
  t.match(updated.data, { id: '1,7', order_id: 1, product_id: 7, quantity: 6 })
  for (const id of (await ids('regions')).filter(id => id.includes('%'))) {
    t.match((await provider.getOne('regions', { id })).data, { id })
  }
  t.match((await provider.create('labels', { data: { id: 'alias', code: 'new' } })).data, { id: 'new', code: 'new' })
  t.match(await provider.delete('lines', { id: '1,8' }), { data: { id: '1,8' } })
})

test('a call is aborted by its signal, and has the headers of its meta', async t => {
  const { app, provider } = await serve(t)
  t.equal(provider.supportAbortSignal, true)
  const aborted = AbortSignal.abort(new Error('left'))
  for (const call of [
    provider.getList('authors', { signal: aborted }), provider.getOne('authors', { id: 1, signal: aborted }),
    provider.getMany('authors', { ids: [1], signal: aborted })
  ]) await t.rejects(call, { message: 'left' })
  const seen = new Promise(resolve => {
    app.server.once('request', ({ headers }: { headers: object }) => resolve(headers))
  })
  const meta = { headers: { 'x-tenant': 'a' }, fields: ['name', 'notes'] }
  const { data } = await provider.getOne('authors', { id: 1, meta })
  t.strictSame(data, { id: 1, name: 'Ada', notes: ['a'] })
  t.match(await seen, { 'x-tenant': 'a' })
})

test('an API without PATCH is updated by PUT', async t => {
  const { provider } = await serve(t, { requestStrategies: { update: ['PUT'] } }, { update: 'PUT' })
  const { data } = await provider.update('authors', { id: 2, data: { rating: 4 }, previousData: { id: 2 } })
  t.equal(data.rating, 4)
})

/** The parts of react-admin that need a browser, in the words of ra-core. */
const pagesOfRaCore = `
import { useListController } from 'ra-core'
export { CoreAdmin as Admin, Resource } from 'ra-core'
export const ListGuesser = () => useListController().data?.map(({ name }) => name).join() ?? 'loading'`

test('the pages of docs/clients.md#react-admin list a collection', async t => {
  const { app } = await serve(t)
  const [program = ''] = programsIn(read('docs/clients.md#react-admin'), 'tsx')
  writeProgram('react-admin-pages.js', pagesOfRaCore)
  const { origin } = new URL(app.listeningOrigin)
  const served = program.replace('http://localhost:3000', origin).replace('artists', 'authors')
  const { code } = await transform(served.replace("'react-admin'", "'./react-admin-pages.js'"), {
    loader: 'tsx', jsx: 'automatic'
  })
  const { App } = await import(writeProgram('react-admin.js', code).href) as { App: unknown }
  const page = create(createElement(TestMemoryRouter, { initialEntries: ['/authors'] }, createElement(App, null)))
  t.teardown(() => page.unmount())
  while (!JSON.stringify(page.toJSON()).includes('Ada')) await setTimeout(2)
  t.equal(page.toJSON(), 'Ada,Bo')
})
