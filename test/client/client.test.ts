import { build } from 'esbuild'
import { gzipSync } from 'node:zlib'
import { test } from 'tap'
import { type ClientOptions, createClient } from '../../lib/clients/client/index.ts'
import { addAuthors, drain, failed, serve } from '../helpers/clients.ts'
import { read } from '../helpers/documents.ts'

// docs/clients.md: The typed client

test('a list is a page, and an iterable of the items of all pages', async t => {
  const { app, authors, requests } = await serve(t)
  await addAuthors(app, 7)
  const page = await authors.list({ fields: ['name'], sort: 'id', size: 4, count: true })
  t.strictSame(page.items.map(({ name }) => name), ['Ada', 'Bo', 'A0', 'A1'])
  t.strictSame([page.total, page.previous], [9, undefined])
  const second = await authors.list({ fields: ['name'], sort: 'id', size: 4, ...page.next })
  t.strictSame(second.items.map(({ name }) => name), ['A2', 'A3', 'A4', 'A5'])
  t.strictSame((await authors.list({ fields: ['name'], sort: 'id', size: 4, ...second.previous })).items, page.items)
  requests.length = 0
  const names = []
  for await (const { name } of authors.list({ sort: 'id', size: 4 })) names.push(name)
  t.strictSame(names, ['Ada', 'Bo', 'A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'])
  t.equal(requests.length, 3)
  const byNumber = []
  for await (const { id } of authors.list({ page: 1, size: 4 })) byNumber.push(id)
  t.equal(byNumber.length, 9)
})

for (const pageLinks of ['wrapped', 'both'] as const) {
  test(`pages are read where links are ${pageLinks}`, async t => {
    const { app, authors } = await serve(t, { responseContent: { pageLinks } })
    await addAuthors(app, 7)
    const page = await authors.list({ size: 4, count: true })
    t.strictSame([page.items.length, page.total, Object.keys(page.next ?? {})],
      [4, 9, ['page', 'offset', 'after', 'before']])
    const ids = []
    for await (const { id } of authors.list({ size: 4 })) ids.push(id)
    t.equal(ids.length, 9)
    t.equal(await authors.count({ rating: { gte: 3 } }), 5)
  })
}

test('groups have their fields, units of time and functions', async t => {
  const { app, authors } = await serve(t)
  await addAuthors(app, 7)
  t.strictSame(await authors.groups({ count: true, having: { 'count()': { gt: 9 } } }), [])
  t.strictSame(await authors.groups({
    by: ['kind', { born: 'year' }],
    count: true,
    max: ['name'],
    where: { name: { ne: 'A0' } },
    sort: '-name.max()',
    limit: 2
  }), [
    { kind: null, born: { year: null }, count: 7, name: { max: 'Bo' } },
    { kind: 'poet', born: { year: '1990-01-01' }, count: 1, name: { max: 'Ada' } }
  ])
  t.strictSame(await authors.groups({ sum: ['id'], count_distinct: ['kind'], having: { or: [{ 'count()': 9 }, {}] } }),
    [{ id: { sum: 45 }, kind: { count_distinct: 1 } }])
})

test('a stream is one request, however many items', async t => {
  const { app, authors, requests } = await serve(t, { bodies: { items: 2000 } })
  await addAuthors(app, 1500)
  requests.length = 0
  let count = 0
  for await (const { name } of authors.stream({ fields: ['name'], where: { name: { startsWith: 'A' } } })) {
    if (String(name).startsWith('A')) count++
  }
  t.strictSame([count, requests.length], [1501, 1])
  const left = authors.stream()
  await left.next()
  await left.return()
  t.equal((await authors.get(1))['name'], 'Ada', 'the connection of a stream that was left is free')
})

test('items are got, created, updated, upserted and deleted', async t => {
  const { authors, books } = await serve(t)
  t.strictSame(await authors.get(1, { fields: ['name', { books: { fields: ['title'], limit: 1 } }] }),
    { name: 'Ada', books: [{ title: 'One' }] })
  t.strictSame(await authors.create({ name: 'Cy', rating: 1 }), { status: 'created', id: 3 })
  t.strictSame(await authors.create([{ name: 'Di', rating: 2 }, { name: 'Ed', rating: 3 }]),
    [{ status: 'created', id: 4 }, { status: 'created', id: 5 }])
  t.match(await authors.create({ name: 'Flo', rating: 4 }, { returning: true }), { id: 6, name: 'Flo', initial: 'F' })
  t.strictSame(await authors.update(3, { rating: 9 }), { status: 'ok' })
  t.strictSame(await authors.update('Cy', { rating: 9 }, { dryRun: true }), { status: 'ok' })
  await t.rejects(authors.create({ name: 'Flo', rating: -1 }, { dryRun: true }))
  t.strictSame(await authors.update('Cy', { rating: 8 }, { returning: ['rating'] }), { rating: 8 })
  t.strictSame(await authors.resource('by_name').item('Cy').get({ fields: ['id'] }), { id: 3 })
  const id = '00000000-0000-4000-8000-000000000009'
  t.strictSame(await books.upsert(id, { title: 'Two', pages: 2, author_id: 1 }), { status: 'created' })
  t.strictSame(await books.upsert(id, { pages: 3 }), { status: 'ok' })
  t.strictSame((await authors.list({ where: { books: { title: 'Two', pages: 3 } }, fields: ['name'] })).items,
    [{ name: 'Ada' }])
  t.strictSame(await authors.delete(5), { status: 'ok' })
  const allowed = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']
  t.strictSame([await authors.allowed(3), await authors.item(3).allowed({})], [allowed, allowed])
  t.equal((await failed(authors.get(5))).code, 'identifier_not_found')
})

test('relations are followed to any depth, read and written', async t => {
  const { authors } = await serve(t)
  const books = authors.item(1).resource('books')
  const [first] = (await books.list()).items
  t.equal(first?.['title'], 'One')
  const author = books.item(String(first?.['id'])).resource('author') as unknown as {
    get: (query: object) => Promise<unknown>,
    update: (body: object) => Promise<unknown>
  }
  t.strictSame(await author.get({ fields: ['name'] }), { name: 'Ada' })
  t.strictSame(await author.update({ rating: 5 }), { status: 'ok' })
  t.equal((await authors.get(1))['rating'], 5)
  t.match(await books.create({ title: 'Two', pages: 2 }), { status: 'created' })
  t.equal(await books.count({ pages: { lt: 3 } }), 1)
})

test('an update of what was got is refused if the item has changed since', async t => {
  const { authors } = await serve(t)
  const author = await authors.get(2)
  t.strictSame(Object.keys(author).includes('etag'), false)
  await authors.update(2, { rating: 1 }, { unchanged: author })
  const error = await failed(authors.update(2, { rating: 2 }, { unchanged: author }))
  t.strictSame([error.status, error.code, error.outcome], [412, 'precondition_failed', 'failed'])
  const after = await authors.update(2, { rating: 3 }, { returning: true })
  await authors.delete(2, { unchanged: after })
  const [listed = {}] = (await authors.list()).items
  const message = /^unchanged: no ETag; .*Cache-Control: no-transform, or send a version field$/
  await t.rejects(authors.update(1, { rating: 2 }, { unchanged: listed }), { name: 'TypeError', message })
  await t.rejects(authors.update(1, {}, { unchanged: true as unknown as object }), { name: 'TypeError', message })
})

test('a filter that is too long for a URL goes in the body of a QUERY, and so do its pages', async t => {
  const { app, authors, requests } = await serve(t)
  await addAuthors(app, 300)
  requests.length = 0
  const name = Array.from({ length: 250 }, (_, index) => `A${index}"\\${' '.repeat(20)}`)
  const where = { or: [{ name: { notIn: name.slice(0, 10) } }, { name }] }
  t.equal(await drain(authors.list({ where, size: 150 })), 302)
  t.strictSame(requests.map(request => request.slice(0, 18)), Array(3).fill('QUERY /api/authors'))
  t.equal(await authors.count(where), 302)
  t.equal(await drain(authors.stream({ where })), 302)
})

test('where QUERY is refused, a POST stands for it from then on', async t => {
  const html = (status: number) => new Response('<h1>Refused</h1>', { status })
  const refused = '{"error":"forbidden","message":"No."}'
  const client = (answers: ReadonlyArray<Response | Error>) => {
    const sent: string[] = []
    const rest = [...answers]
    const fetch = async (_: string, { method = 'GET', headers, body }: RequestInit) => {
      const { 'x-http-method-override': override, 'content-type': type } = headers as Record<string, string>
      sent.push([method, override, type, body].join(' ').trim())
      const answer = rest.shift() ?? new Response('[]')
      if (answer instanceof Error) throw answer
      return answer
    }
    return { sent, authors: createClient('http://host', { fetch, maxQuery: 20, retries: 0 }).resource('authors') }
  }
  const where = { name: { in: ['Ada Lovelace', 'Bo'] } }
  const form = 'application/x-www-form-urlencoded .where=name%3D*%22Ada%20Lovelace%22%2C%22Bo%22'
  // To a page of another origin, an answer without CORS is none.
  const hidden = new TypeError('Failed to fetch')
  for (const answer of [html(405), html(501), html(400), html(403), new Response(refused, { status: 405 }), hidden]) {
    const { sent, authors } = client([answer])
    t.strictSame((await authors.list({ where })).items, [])
    await authors.list({ where })
    await authors.list({ size: 1 })
    t.strictSame(sent, [`QUERY  ${form}`, `POST QUERY ${form}`, `POST QUERY ${form}`, 'GET'],
      `${'status' in answer ? answer.status : answer}`)
  }
  const offline = client([hidden, hidden])
  t.match(await failed(offline.authors.list({ where })), { code: 'network', status: 0 })
  await offline.authors.list({ where })
  t.strictSame(offline.sent.map(one => one.slice(0, 10)), ['QUERY  app', 'POST QUERY', 'QUERY  app'])
  const at = client([html(405), html(405)])
  await Promise.all([at.authors.list({ where }), at.authors.count({ name: ['x'.repeat(20)] })])
  t.strictSame(at.sent.map(one => one.slice(0, 10)), ['QUERY  app', 'QUERY  app', 'POST QUERY', 'POST QUERY'])
  for (const answer of [new Response(refused, { status: 400 }), new Response(refused, { status: 403 }), html(404)]) {
    const { sent, authors } = client([answer])
    t.equal((await failed(authors.list({ where }))).status, answer.status)
    t.equal(sent.length, 1)
  }
  const never = client([html(405), html(405)])
  t.equal((await failed(never.authors.list({ where }))).status, 405)
  t.equal(never.sent.length, 2)
})

test('headers are those of the client, a function of it, and of the request', async t => {
  const sent: Array<Record<string, string>> = []
  const fetch = async (_: string, init: RequestInit) => {
    sent.push(init.headers as Record<string, string>)
    return new Response('[]')
  }
  const clientOf = (headers: NonNullable<ClientOptions['headers']>) =>
    createClient('http://host', { fetch, headers }).resource('x')
  await clientOf({ authorization: 'a' }).list({ count: true }, { headers: { 'x-trace': '1' } })
  await clientOf(async () => ({ authorization: 'b' })).create({}, { headers: { authorization: 'c' } })
  t.strictSame(sent, [
    { prefer: 'count=exact', authorization: 'a', 'x-trace': '1' },
    { 'content-type': 'application/json', authorization: 'c' }
  ])
})

test('a client is no promise', async t => {
  const client = createClient('http://host')
  t.equal(await (client as unknown as Promise<unknown>), client)
  t.equal(await (client.resource('x').item(1) as unknown as Promise<{ then?: unknown }>).then, undefined)
})

test('the clients are as small as the pages say, and import no other room', async t => {
  for (const [room, ...told] of [
    ['client', ['README.md', ''], ['docs/clients.md#the-typed-client', '']],
    ['react-admin', ['docs/clients.md#react-admin', 'Together they take ']],
    ['tanstack-db', ['docs/clients.md#tanstack-db', 'it takes ']]
  ] as const) {
    const { outputFiles: [file], metafile } = await build({
      entryPoints: [`lib/clients/${room}/index.ts`],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      metafile: true
    })
    const size = `${(gzipSync(file?.contents ?? '').length / 1024).toFixed(1)} KB`
    for (const [page, words] of told) t.match(read(page), `${words}${size}`, `${page}: ${size}`)
    const own = new RegExp(`^lib/clients/(client|${room})/[a-z/-]+\\.ts$`)
    t.ok(Object.keys(metafile.inputs).every(path => own.test(path)), room)
  }
})
