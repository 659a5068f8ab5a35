import dataApi, { sqlite } from 'fastify-data-api'
import Fastify from './helpers/fastify.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { solarSystem } from '../examples/solar-system/collections.ts'
import { addDocumentation } from '../examples/solar-system/documentation.ts'
import { fill } from '../examples/solar-system/fill.ts'

const data = new URL('../examples/solar-system/data/', import.meta.url).pathname

async function serve (file: string) {
  const db = sqlite(file)
  const rows = fill(db, data)
  const app = Fastify()
  await app.register(dataApi, { collections: solarSystem(db), requestStrategies: { batch: true } })
  app.addHook('onClose', () => { db.close() })
  return { app, rows }
}

test('the example fills its database on the first start and keeps it on the next', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'solar-system-'))
  const first = await serve(join(folder, 'solar-system.db'))
  await first.app.close()
  const second = await serve(join(folder, 'solar-system.db'))
  t.equal(second.rows, first.rows)
  t.ok(first.rows > 500)
  await second.app.close()
  rmSync(folder, { recursive: true })
})

test('every URL that the example prints answers', async t => {
  const { app } = await serve(':memory:')
  const server = readFileSync(new URL('../examples/solar-system/server.ts', import.meta.url), 'utf8')
  const paths = [...server.matchAll(/^ {2}'(\/.*?)',?$/gm)].map(([, path = '']) => path)
  t.equal(paths.length, 9)
  for (const path of paths) {
    const response = await app.inject(path)
    t.equal(response.statusCode, 200, path)
    t.not(response.body, '[]', path)
  }
  await app.close()
})

test('the example serves its documents, and a page of them', async t => {
  const { app } = await serve(':memory:')
  const path = await addDocumentation(app)
  const page = await app.inject(path)
  t.equal(page.statusCode, 200)
  t.match(page.body, 'swagger-ui')
  const { paths } = (await app.inject(`${path}/json`)).json<{ paths: object }>()
  t.ok('/planets/{identifier}/moons' in paths)
  t.match((await app.inject('/openapi.json')).json(), { openapi: '3.1.1' })
  await app.close()
})

test('every request in docs/http.md, docs/asking.md#dashboards and README is answered as it says', async t => {
  const { app } = await serve(':memory:')
  const pages = ['docs/asking.md#dashboards', 'docs/http.md', 'README.md']
  const reference = pages.map(page => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8')).join('\n')
  const blocks = [...reference.matchAll(/```http\n([^]*?)```/g)].map(([, block = '']) => block.trim().split('\n\n'))
  t.equal(blocks.length, 16)
  for (const block of blocks) {
    const answered = block.findIndex(part => /^\d{3}/.test(part))
    const [request = '', payload] = block.slice(0, answered)
    const [head = '', body = ''] = block.slice(answered)
    const [line = '', ...sent] = request.split('\n')
    const [status, ...told] = head.split('\n')
    const method = line.split(' ', 1)[0] ?? ''
    const url = line.slice(method.length + 1)
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { host: '127.0.0.1:3000', ...headers(sent) },
      ...payload !== undefined && { payload }
    })
    t.equal(String(response.statusCode), status, line)
    t.match(response.headers, headers(told), line)
    t.equal(response.body, body, line)
  }
  await app.close()
})

function headers (lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  )
}

test('the example shows its facts', async t => {
  const { app } = await serve(':memory:')
  const get = async (url: string) => (await app.inject(url)).json()
  t.strictSame(await get('/planets/pluto?fields=name,kind,discoverer(name)'),
    { name: 'Pluto', kind: 'dwarf planet', discoverer: { name: 'Clyde Tombaugh' } })
  t.strictSame(await get('/planets/home/moons?fields=name'), [{ name: 'Moon' }])
  t.strictSame(await get('/planets?moon_count=2&sort=name&fields=name'), [{ name: 'Haumea' }, { name: 'Mars' }])
  t.strictSame(await get('/missions/by_name/New%20Horizons/planets?fields=name'),
    [{ name: 'Jupiter' }, { name: 'Pluto' }])
  t.strictSame((await get('/moons/titan')).years_since_discovery, new Date().getUTCFullYear() - 1655)
  t.equal((await get('/missions?curator_note=x')).error, 'invalid_filter')
  await app.close()
})

test('the example takes writes', async t => {
  const { app } = await serve(':memory:')
  const send = async (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const payload = body !== undefined && { headers, payload: JSON.stringify(body) }
    const response = await app.inject({ method, url, ...payload })
    return [response.statusCode, response.json()]
  }
  const get = async (url: string) => (await app.inject(url)).json()
  const mission = {
    name: "Dragon's Fly",
    launched_on: '2028-07-05',
    outcome: 'ongoing',
    crewed: false,
    agency: { name: 'NASA' },
    moons: [{ name: 'Titan' }],
    visits: [{ kind: 'lander', planet: { name: 'Saturn' } }]
  }
  t.strictSame(await send('POST', '/missions', mission), [201, { status: 'created', id: 191 }])
  const { name, agency, moons, visits } = mission
  t.strictSame(await get('/missions/dragons-fly?fields=name,agency(name),moons(name),visits(kind,planet(name))'),
    { name, agency, moons, visits })
  const early = { error: 'argument', message: 'A mission launched on 2028-07-05 cannot have ended before.' }
  for (const [status, answer, method, url, body] of [
    [200, {}, 'PATCH', '/missions/dragons-fly', { name: 'Dragonfly' }],
    [400, early, 'PUT', '/missions/dragonfly/ended_on', '2027-01-01'],
    [200, {}, 'PUT', '/missions/dragonfly/ended_on', '2040-01-01'],
    [200, {}, 'PUT', '/missions/dragonfly/curator_note', 'Bring it back.'],
    [409, {}, 'DELETE', '/missions/dragonfly', undefined], [405, {}, 'POST', '/planets', { name: 'Vulcan' }]
  ] as const) t.match(await send(method, url, body), [status, answer], `${method} ${url}`)
  await app.close()
})
