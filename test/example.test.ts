import dataApi, { sqlite } from 'fastify-data-api'
import Fastify from 'fastify'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { solarSystem } from '../examples/solar-system/collections.ts'
import { fill } from '../examples/solar-system/fill.ts'

const data = new URL('../examples/solar-system/data/', import.meta.url).pathname

async function serve (file: string) {
  const db = sqlite(file)
  const rows = fill(db, data)
  const app = Fastify()
  await app.register(dataApi, { collections: solarSystem(db) })
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

test('the example shows its facts', async t => {
  const { app } = await serve(':memory:')
  const get = async (url: string) => (await app.inject(url)).json()
  t.strictSame(await get('/planets/pluto?fields=name,kind,discoverer(name)'), { name: 'Pluto', kind: 'dwarf planet', discoverer: { name: 'Clyde Tombaugh' } })
  t.strictSame(await get('/planets/home/moons?fields=name'), [{ name: 'Moon' }])
  t.strictSame(await get('/planets?moon_count=2&sort=name&fields=name'), [{ name: 'Haumea' }, { name: 'Mars' }])
  t.strictSame(await get('/missions/by_name/New%20Horizons/planets?fields=name'), [{ name: 'Jupiter' }, { name: 'Pluto' }])
  t.strictSame((await get('/moons/titan')).years_since_discovery, new Date().getUTCFullYear() - 1655)
  t.equal((await get('/missions?curator_note=x')).error, 'invalid_filter')
  await app.close()
})
