import cors from '@fastify/cors'
import { spawnSync } from 'node:child_process'
import { Type } from '@sinclair/typebox'
import type { InjectOptions } from 'fastify'
import { test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory, postgres, sqlite } from '../../lib/index.ts'
import { cellsOf, codeIn, sectionOf, writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'

// docs/start.md: It does not work. Each message of its table is provoked, and has the words of the table.

const Artist = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.Optional(Type.String({ readable: true, writable: true })),
  label: Type.Optional(Type.String())
})
const artists = collection(Artist, { source: memory([{ id: 1, label: 'Spoon' }]) })

async function serve (options: Omit<DataApiOptions, 'collections'> = {}, served = artists) {
  const app = Fastify()
  await app.register(dataApi, { prefix: '/api', collections: { artists: served }, ...options })
  return app
}

async function ask (request: InjectOptions, served = artists): Promise<string> {
  const app = await serve({ rules: { read: true, create: true, update: false, delete: false } }, served)
  const { statusCode, body } = await app.inject(request)
  await app.close()
  return `${statusCode} ${(JSON.parse(body) as { message: string }).message}`
}

/** Returns the message of what a function throws. */
async function messageOf (work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).message
  }
  throw new TypeError('nothing was thrown')
}

const provoke: Readonly<Record<string, () => Promise<string>>> = {
  "Cannot read properties of undefined (reading 'asSystem')": async () => {
    const app = Fastify()
    const registered = app.register(dataApi, { collections: { artists } })
    const before = await messageOf(() => app.dataApi.asSystem())
    await registered
    await app.close()
    const other = Fastify()
    await other.register(async scope => { await scope.register(dataApi, { collections: { artists } }) })
    const outside = await messageOf(() => other.dataApi.asSystem())
    await other.close()
    return before === outside ? before : `${before} / ${outside}`
  },
  "Method … already declared for route '/*'": async () => {
    const app = Fastify()
    app.get('/*', () => 'a page')
    return await messageOf(() => app.register(dataApi, { collections: { artists } }))
  },
  'listen EADDRINUSE: address already in use …': async () => {
    const first = Fastify()
    const { port } = new URL(await first.listen({ host: '127.0.0.1', port: 0 }))
    const message = await messageOf(() => Fastify().listen({ host: '127.0.0.1', port: Number(port) }))
    await first.close()
    return message
  },
  // An ending that no version of Node.js runs, in place of one that old versions do not run.
  // The tests have a loader, which words it in another way.
  'Unknown file extension ".ts" …': async () => {
    const program = `import('${writeProgram('ending.unknown', '').href}').catch(error => console.log(error.message))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' }
    })
    return stdout.trim().replace('".unknown"', '".ts"')
  },
  // A driver that is not installed here; where Node.js has SQLite, there is no other way to have none.
  'sqlite(…): … cannot be loaded; use Node.js 22.16 or later, or …': () =>
    messageOf(() => sqlite(':memory:', { driver: 'better-sqlite3' })),
  "collection 'artists' says nothing of 'create', …": () => messageOf(async () => {
    const app = await serve({ rules: { read: true } })
    await app.ready()
  }),
  '404 Route GET:/artists not found': () => ask({ url: '/artists' }),
  "404 There is no field 'label'.": () => ask({ url: '/api/artists/1/label' }),
  "404 An item was not found with the identifier '1'.": () => ask({ url: '/api/artists/1' }, collection(Artist, {
    source: memory([{ id: 1 }]), scope: () => false
  })),
  '405 DELETE is not allowed here. …': () => ask({ method: 'DELETE', url: '/api/artists/1' }),
  "415 The 'Content-Type' of the body must be application/json.": () => ask({
    method: 'POST',
    url: '/api/artists',
    payload: 'name=Can',
    headers: { 'content-type': 'application/x-www-form-urlencoded' }
  }),
  '503 The data is not available at the moment. Try again later.': async () => {
    const db = postgres({ connectionString: 'postgres://127.0.0.1:1/app', connectionTimeout: 50 })
    const answer = await ask({ url: '/api/artists/1' }, collection(Artist, { source: db.table('artists') }))
    await db.close()
    return answer
  },
  'OPTIONS does not reach the API: …': async () => {
    const app = Fastify()
    await app.register(cors)
    const logged = new Promise<string>(resolve => { app.log.warn = resolve })
    await app.register(dataApi, { collections: { artists } })
    await app.ready()
    return logged
  }
}

/** Messages of a compiler and of a browser. */
const ofOthers = ["Property '[Kind]' is missing in type …", 'TypeError: Failed to fetch']

const [, ...rows] = cellsOf(sectionOf('docs/start.md', 'It does not work'))
const messages = rows.map(([cell = '']) => (/^\d+ /.exec(cell)?.[0] ?? '') + (codeIn(cell)[0] ?? ''))

test('the table of messages has those that are provoked here, and those of others', t => {
  t.strictSame(messages.toSorted(), [...Object.keys(provoke), ...ofOthers].toSorted())
  t.end()
})

for (const [words, message] of Object.entries(provoke)) {
  test(`what one sees is: ${words}`, async t => {
    const [first = '', ...others] = words.split('…').map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    t.match(await message(), new RegExp(`^${[first, ...others].join('.+')}$`))
  })
}

test('a page of another origin reads no answer without CORS', async t => {
  const app = await serve()
  const { headers } = await app.inject({ url: '/api/artists', headers: { origin: 'https://app.example.org' } })
  t.notOk(headers['access-control-allow-origin'])
  await app.close()
})
