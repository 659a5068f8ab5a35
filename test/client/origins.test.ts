import cors from '@fastify/cors'
import { Type } from '@sinclair/typebox'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import t, { type Test, test } from 'tap'
import dataApi, { collection, corsOptions, memory } from '../../lib/index.ts'
import { openChromium } from '../helpers/chromium.ts'
import Fastify from '../helpers/fastify.ts'
import { eventually } from '../helpers/follow.ts'

// docs/running.md: Browsers. A page of one origin, with the clients of an API of another.

const { skip, open } = await openChromium(t)

const script = `
import { createClient } from './lib/clients/client/index.ts'
import { createDataProvider } from './lib/clients/react-admin/index.ts'
Object.assign(globalThis, { createClient, createDataProvider })`

const { outputFiles: [bundle] } = await build({
  stdin: { contents: script, resolveDir: process.cwd() }, bundle: true, format: 'esm', write: false
})

const site = Fastify({ forceCloseConnections: true })
site.get('/', (_request, reply) => reply.type('text/html').send('<script type="module" src="/script.js"></script>'))
site.get('/script.js', (_request, reply) => reply.type('text/javascript').send(bundle?.text))
const origin = await site.listen({ port: 0, host: '127.0.0.1' })
t.teardown(() => site.close())

const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }), text: Type.String({ readable: true, writable: true })
})

/** An API of notes that can start again on its port. `tags`: those with which its streams were asked for. */
async function serve (t: Test, options: object = corsOptions) {
  const source = memory([{ id: 1, text: 'a' }, { id: 2, text: 'b' }])
  const tags: unknown[] = []
  let port = 0
  const start = async () => {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(cors, { origin, ...options })
    app.addHook('onRequest', async ({ headers, method }) => {
      if (method === 'GET' && headers.accept === 'text/event-stream') tags.push(headers['last-event-id'])
    })
    await app.register(dataApi, {
      prefix: '/api',
      collections: { notes: collection(Note, { source }) },
      requestStrategies: { delete: true, batch: true, bulk: ['DELETE'] },
      live: { interval: 20 }
    })
    port = Number(new URL(await app.listen({ port, host: '127.0.0.1' })).port)
    return app
  }
  let app = await start()
  t.teardown(() => app.close())
  return {
    url: `http://127.0.0.1:${port}/api`,
    tags,
    get app () { return app },
    async restart () {
      await app.close()
      app = await start()
    }
  }
}

const inPage = (page: Page, program: string) => page.evaluate(`(async () => { ${program} })()`)

for (const [words, options, isKnown] of [
  ['with corsOptions a stream is taken up after a restart', corsOptions, true],
  ['without its header a stream is followed anew after a restart', {
    ...corsOptions, allowedHeaders: corsOptions.allowedHeaders.filter(name => name !== 'Last-Event-ID')
  }, false]
] as const) {
  test(words, { skip }, async t => {
    const api = await serve(t, options)
    const { page, close } = await open(origin)
    await inPage(page, `
      globalThis.texts = []
      const notes = createClient('${api.url}').resource('notes')
      ;(async () => { for await (const { items } of notes.live()) texts.push(items.map(one => one.text).join()) })()`)
    const shown = (text: string) => eventually(async () =>
      String(await page.evaluate('texts.at(-1)')) === text, () => text)
    await shown('a,b')
    await api.restart()
    await api.app.inject({ method: 'POST', url: '/api/notes', payload: { text: 'c' } })
    await shown('a,b,c')
    api.app.server.closeAllConnections()
    await api.app.inject({ method: 'PATCH', url: '/api/notes/1', payload: { text: 'd' } })
    await shown('d,b,c')
    t.strictSame([api.tags[0], typeof api.tags.at(-1)], [undefined, isKnown ? 'string' : 'undefined'])
    await close()
  })
}

test('the clients do in a browser what they do on their own origin, or reject it', { skip }, async t => {
  const api = await serve(t)
  const { page, close } = await open(origin)
  const told = await inPage(page, `
    const notes = createClient('${api.url}', { maxQuery: 40 }).resource('notes')
    const provider = createDataProvider('${api.url}')
    const { next, total } = await notes.list({ size: 1, count: true })
    const { items } = await notes.list({ where: { id: [1, 2, 3, 4, 5, 6, 7, 8, 9] } })
    await notes.update(1, { text: 'x' }, { unchanged: await notes.get(1) })
    await provider.deleteMany('notes', { ids: [1, 2] })
    return [await notes.allowed(), next !== undefined, total, items.length, await notes.count()]`)
  t.strictSame(told, [['GET', 'HEAD', 'OPTIONS', 'QUERY', 'POST', 'PATCH', 'DELETE'], true, 2, 2, 0])
  const strict = await serve(t, { methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'], exposedHeaders: ['ETag'] })
  const refused = await inPage(page, `
    const provider = createDataProvider('${strict.url}')
    const write = ids => provider.deleteMany('notes', { ids }).then(() => 'done', ({ message }) => message)
    return [await write([1, 2]), await write([1])]`)
  t.match(refused, [/corsOptions/, 'done'])
  t.strictSame((await strict.app.inject('/api/notes')).json(), [{ id: 2, text: 'b' }])
  await close()
})
