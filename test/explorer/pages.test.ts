import fc, { runsOf } from '../helpers/fast-check.ts'
import { Type } from '@sinclair/typebox'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { collection, memory } from '../../lib/index.ts'
import { html, textsOf } from '../../lib/doors/explorer/html.ts'
import { style } from '../../lib/doors/explorer/style.ts'
import { browser, explore, serve } from '../helpers/explorer-pages.ts'
import { assetFile, assetNames, makeAsset } from './bundle.ts'

// docs/explorer.md. Browsers open these pages in browser.test.ts.

test('a browser gets a page of every kind of resource, and of errors, with their status', async t => {
  const { get } = await serve()
  for (const [url, status, ...texts] of [
    ['/api', 200, 'artists', 'albums', 'OpenAPI'],
    ['/api/artists', 200, 'Noisia', '2003', 'Ada', 'null'],
    ['/api/artists/1', 200, 'Noisia', 'Outer Edges', 'founded'],
    ['/api/artists/1/founded', 200, '2003'],
    ['/api/artists/1/albums', 200, 'Outer Edges'],
    ['/api/albums/7/artist', 200, 'Noisia'],
    ['/api/artists/by_name', 200, 'Can', 'Noisia'],
    ['/api/artists/by_active', 200, 'false 2', 'true 1'],
    ['/api/artists/by_active/true', 200, 'Ada'],
    ['/api/artist', 404, "There is no collection 'artist'. Did you mean 'artists'?"],
    ['/api/artists/9', 404, 'There is no 9 in artists 404'],
    ['/api/artists?nam=x', 400, "There is no field 'nam' to filter by. Did you mean 'name'?"],
    ['/api/artists?founded=x', 400, 'founded']
  ] as const) {
    const answer = await get(url)
    t.strictSame([answer.status, answer.headers['content-type']], [status, 'text/html; charset=utf-8'], url)
    t.match(answer.headers.vary, /^Accept\b/)
    for (const expected of texts) t.ok(answer.text.includes(expected), `${url} shows ${expected}`)
    t.notMatch(answer.text, /secret/, url)
  }
})

test('Accept and format decide between a page and data', async t => {
  const { get } = await serve()
  for (const [url, accept, expected] of [
    ['/api/artists', undefined, 'application/json'],
    ['/api/artists', '*/*', 'application/json'],
    ['/api/artists', 'text/html;q=0.5, */*', 'application/json'],
    ['/api/artists', 'application/json, text/html', 'application/json'],
    ['/api/artists', 'text/html, application/json;q=0.9', 'text/html'],
    ['/api?format=html', undefined, 'text/html'],
    ['/api/artists?.format=html', undefined, 'text/html'],
    ['/api/artists?size=1&format=html', undefined, 'text/html'],
    ['/api/artists?format=json', browser.accept, 'application/json'],
    ['/api/artists?.format=csv', browser.accept, 'text/csv'],
    ['/api/artists?format=ndjson&name=Can', browser.accept, 'application/x-ndjson']
  ] as const) {
    const { status, headers } = await get(url, accept === undefined ? {} : { accept })
    t.strictSame([status, String(headers['content-type']).split(';')[0]], [200, expected], `${url} ${accept}`)
  }
})

test('answers in JSON are byte-identical with the explorer', async t => {
  const { get } = await serve()
  const { get: getPlain } = await serve({ explorer: false })
  const urls = [
    '/api', '/api/artists', '/api/artists?size=1&founded>1', '/api/artists/1', '/api/artists/1/name', '/api/artists/9',
    '/api/artists?nam=1', '/api/artists/by_active', '/api/x', '/api/artists?format=csv', '/api/artists?format=x'
  ]
  for (const url of urls) {
    for (const accept of ['application/json', '*/*', 'text/csv', 'image/png', '']) {
      const [one, other] = [await get(url, { accept }), await getPlain(url, { accept })]
      const { date: _, ...headers } = one.headers
      const { date: __, ...plainHeaders } = other.headers
      t.strictSame([one.status, headers, one.body], [other.status, plainHeaders, other.body], `${url} ${accept}`)
      t.match(one.headers.vary, /Accept/, url)
    }
  }
})

test('a page is private, and runs and loads nothing but its own style and script', async t => {
  const { get } = await serve()
  for (const url of ['/api', '/api/artists', '/api/artists/9']) {
    const { headers, body } = await get(url)
    t.equal(headers['cache-control'], 'private, no-cache')
    t.equal(headers['x-robots-tag'], 'noindex, nofollow')
    t.equal(headers['x-content-type-options'], 'nosniff')
    const [, script = ''] = /<script type="module">([^]*?)<\/script>/.exec(body) ?? []
    t.equal(headers['content-security-policy'], [
      "default-src 'none'", `style-src 'self' ${hashOf(style)}`, `script-src ${hashOf(script)}`, "connect-src 'self'",
      "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"
    ].join('; '))
    t.notMatch(body, / style="| on\w+="/)
    t.equal(body.match(/<script/g)?.length, 1)
  }
})

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

test('the script has less than 6,000 bytes, and both assets are what their sources make', async t => {
  const [, script = ''] = /<script[^>]*>([^]*?)<\/script>/.exec(await (await serve()).page('/api')) ?? []
  t.ok(Buffer.byteLength(script) < 6000, `${Buffer.byteLength(script)} bytes`)
  for (const name of assetNames) {
    t.equal(await makeAsset(name), readFileSync(assetFile(name), 'utf8'), 'npm run assets makes it anew')
  }
})

test('headers sort, filters can be removed, and the links of pages are those of the API', async t => {
  const { get } = await serve()
  const { body } = await get('/api/artists?founded>=1900&active=false&sort=name&size=1&_count')
  t.ok(body.includes('href="/api/artists?founded%3E=1900&amp;active=false&amp;size=1&amp;sort=name+desc"'))
  const others = '/api/artists?active=false&amp;sort=name&amp;size=1'
  t.ok(body.includes(`href="${others}" aria-label="Remove the filter founded&gt;=1900"`))
  t.match(body, 'aria-sort="ascending"')
  t.match(body, '<b>1–1</b> of <b>2</b>')
  const [, next = ''] = /href="([^"]+)" rel="next"/.exec(body) ?? []
  const following = await get(next.replaceAll('&amp;', '&'))
  t.match(following.text, 'Noisia')
  t.match(following.text, /(1 row|2–2) of 2/)
})

test('each row leads to its item, also where the key alone has no URL', async t => {
  const shown = { readable: true } as const
  const texts = ['', '.', '..', 'a', '%2e', '/', ',']
  const { get, page } = await explore({
    collections: {
      codes: collection(Type.Object({
        code: Type.String({ identifier: true, ...shown }), number: Type.Integer({ identifier: true, ...shown })
      }), { source: memory(texts.map((code, number) => ({ code, number }))) }),
      pairs: collection(Type.Object({ one: Type.String(shown), other: Type.String(shown) }), {
        source: memory(texts.flatMap(one => texts.map(other => ({ one, other })))), key: ['one', 'other']
      })
    }
  })
  const linksOf = async (url: string) => {
    const links = (await page(url)).matchAll(new RegExp(`href="(${url}/[^"?]*)"`, 'g'))
    return [...new Set([...links].map(([, link = '']) => link))].filter(link => !link.includes('/by_'))
  }
  const codes = await linksOf('/codes')
  t.strictSame(codes, ['0', '%252e', '%2C', '1', '2', '%2F', 'a'].map(segment => `/codes/${segment}`))
  const pairs = await linksOf('/pairs')
  t.equal(pairs.length, texts.length ** 2)
  for (const link of [...codes, ...pairs]) {
    t.equal((await get(new URL(link, 'http://x').pathname)).status, 200, link)
  }
})

test('forms for filters, columns, queries and selected rows lead to the URL of the API', async t => {
  const { get, page } = await serve()
  for (const [form, location] of [
    ['_query=sort%3Dname&_field=name&_operator=contains&_value=a+%26+b', '?sort=name&name*=a+%26+b'],
    ['_query=&_field=name&_operator=equals&_value=null', '?name=%22null%22'],
    ['_query=&_field=name&_operator=in&_value=Can,+Ada', '?name=*Can,Ada'],
    ['_query=&_field=founded&_operator=at_least&_value=1970', '?founded%3E=1970'],
    ['_query=&_field=founded&_operator=null&_value=', '?founded=null'],
    ['_query=&_field=active&_operator=not_equals&_value=true', '?active!=true'],
    ['_query=page%3D3%26name%3DCan&_field=founded&_operator=less&_value=3', '?name=Can&founded%3C3'],
    [
      '_query=fields%3Dname,albums(title;limit%3D1)%26size%3D2&_column=name&_column=albums&_column=id',
      '?size=2&fields=name,albums(title;limit=1),id'
    ],
    ['_query=name%3DCan%26founded%3E1', '?name=Can&founded%3E1'],
    ['_query=//evil.example', '?//evil.example'],
    ['_query=', ''],
    ['_query=sort%3Dname&_field=id&_row=1&_row=3', '?sort=name&id=*1,3'],
    ['_query=&_field=id&_row=1&_as=csv', '?id=*1&format=csv'],
    ['_query=&_field=name&_row=a,b&_row=null&_row=%22', '?name=*%22a,b%22,%22null%22,%22%5C%22%22'],
    ['_query=&_field=id', '']
  ] as const) {
    const { status, headers } = await get(`/api/artists?${form}`)
    t.strictSame([status, headers.location], [303, `/api/artists${location}`], form)
  }
  const body = await page('/api/artists?active=false&sort=name&size=5')
  t.match(body, '<input type="checkbox" form="rows" name="_row" value="1" aria-label="Select Noisia">')
  t.match(body, '<input type="hidden" name="_query" value="sort=name&amp;size=5">')
  for (const url of ['//evil.example/?_query=', '//evil.example/a?_query=id%3D1', '//artists?_query=']) {
    const { status, location } = await get(url)
    t.strictSame([status, location], [404, undefined], 'no redirect to another host')
  }
})

test('a filter made of any text finds the items that hold it', async t => {
  const names = ['null', '"', '=x', '*', 'a,b', ' x ', '~y', '(z', 'é&%+#', '>', '\\"']
  const rows = names.map((name, index) => ({ id: index, name, founded: null, active: true, secret: '' }))
  const { get } = await serve({}, undefined, { artists: rows, albums: [] })
  for (const name of names) {
    const form = new URLSearchParams({ _query: '', _field: 'name', _operator: 'equals', _value: name })
    const { headers } = await get(`/api/artists?${form}`)
    const { body } = await get(String(headers.location), {})
    t.strictSame((JSON.parse(body) as Array<{ name: string }>).map(one => one.name), [name])
    const chosen = await get(`/api/artists?${new URLSearchParams([
      ['_query', ''], ['_field', 'name'], ['_row', name], ['_row', 'other'], ['_as', 'json']
    ])}`)
    t.match((await get(String(chosen.headers.location))).body, JSON.stringify(name), `the row ${name}`)
  }
})

test('a hook that replaces the data of answers replaces it on pages', async t => {
  const { get } = await serve({}, app => {
    app.addHook('preSerialization', async (_request, _reply, value) =>
      JSON.parse(JSON.stringify(value).replaceAll('Noisia', 'redacted')) as unknown)
  })
  const { text } = await get('/api/artists')
  t.match(text, 'redacted')
  t.notMatch(text, 'Noisia')
})

test('a field cannot have the name of a parameter of the explorer', async t => {
  const Thing = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    _edit: Type.String({ readable: true })
  })
  const collections = { things: collection(Thing, { source: memory([]) }) }
  await t.rejects(explore({ collections, naming: 'none' }), { message: /_edit.*explorer/ })
  await explore({ collections, naming: 'none', explorer: false })
})

test('a sign of markup is text wherever it stands', async t => {
  const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  for (const [sign, entity] of Object.entries(escaped)) {
    t.equal([...textsOf(html`<a title="${sign} x">${sign}</a>`)].join(''), `<a title="${entity} x">${entity}</a>`)
  }
})

/** Texts that would be markup, end an attribute, or turn the page around. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.array(fc.constantFrom(
    '<script>', '</script>', '<!--', '-->', '"', "'", '<img src=x onerror=alert(1)>', '&lt;', '&', '\u202e', '😀',
    'javascript:alert(1)', 'https://x.example/"onclick=1', '</style>', '{{', '`', '</bdi>', '\n', 'a'.repeat(10_000)
  ), { maxLength: 6 }).map(parts => parts.join(''))
).filter(text => !/[\0\p{Surrogate}]/u.test(text))

test('a value of any text is text on every page, and nothing else', async t => {
  const known = new Set<string>()
  // The first script is that of the page.
  const tagsOf = (page: string) => [...page.replace(/<script[^>]*>[^]*?<\/script>/, '').matchAll(/<\/?([a-z!]\w*)/gi)]
    .map(([, name = '']) => name.toLowerCase())
  const { get: getPlain } = await serve()
  for (const url of [
    '/api', '/api/artists', '/api/artists?name=x', '/api/artists/1', '/api/artists/1/albums', '/api/artists/9',
    '/api/artists/by_name', '/api/artists/by_active', '/api/artists/1/name', '/api/albums/7'
  ]) {
    for (const tag of tagsOf((await getPlain(url)).body)) known.add(tag)
  }
  for (const tag of ['time', 'pre', 'footer', 'a', 'bdi', 'code', 'i', 'sup']) known.add(tag)
  const runs = runsOf(1000)
  const rows = fc.sample(hostile, { numRuns: runs })
  const artists = rows.map((name, id) => ({ id, name, founded: null, active: true, secret: '' }))
  const albums = rows.map((title, id) => ({ id, title, notes: { [title]: [title] }, artistId: id }))
  const { get } = await serve({ pages: { defaultSize: 50 } }, undefined, { artists, albums })
  const check = async (url: string, texts: readonly string[]) => {
    const page = await get(url)
    const shown = page.text.replaceAll(/\s+/g, ' ')
    for (const text of texts) {
      const expected = text.slice(0, 40).replace(/[\uD800-\uDBFF]$/, '').replaceAll(/\s+/g, ' ')
      if (!shown.includes(expected)) t.fail(`${url} does not show ${JSON.stringify(expected)}`)
    }
    const foreign = tagsOf(page.body).filter(tag => !known.has(tag))
    if (foreign.length > 0) t.fail(`${url} has the elements ${foreign.join(', ')}`)
    const bare = page.body.replaceAll(/="[^"]*"/g, '=""')
    if (/<[^>]* (on\w+|style|src)=/i.test(bare)) t.fail(`${url} has a forbidden attribute`)
    if (/href="(?!\/|https?:|data:image|#)/i.test(page.body)) t.fail(`${url} has a link to another scheme`)
  }
  for (let start = 0; start < runs; start += 50) {
    const texts = rows.slice(start, start + 50)
    const page = `id>=${start}&id<${start + 50}`
    for (const url of ['/api/artists', '/api/albums?fields=id,title,notes,artist', '/api/albums/by_title']) {
      await check(`${url}${url.includes('?') ? '&' : '?'}${page}`, texts)
    }
  }
  // Pages of one item have one text each, so fewer are drawn.
  for (const [id, text] of rows.slice(0, runs / 40).entries()) {
    const item = `/api/artists/by_id/${id}`
    for (const url of [item, `${item}/name`, `/api/albums/${id}?fields=notes,title,artist`]) await check(url, [text])
    const asked = `/api/artists?name=${encodeURIComponent(`"${text.replaceAll(/["\\]/g, '\\$&')}"`)}`
    if (asked.length < 8000) await check(asked, [text])
  }
  t.pass(`${runs} texts`)
})
