import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import { collection, type Context, type DataApiOptions, memory, SubCollection } from '../../lib/index.ts'
import { serveSolarSystem } from '../helpers/agents.ts'
import { explore, plain, sent } from '../helpers/explorer-pages.ts'

// docs/agents.md: Clients. The page at the URL of the door tells what to paste, and what an agent of the reader may do.

const links = (page: string) => [...page.matchAll(/<li><a href="([^"]*)">/g)].map(([, url = '']) => plain(url))
const codes = (page: string) => [...page.matchAll(/<pre tabindex="0">([^<]*)</g)].map(([, text = '']) => plain(text))
const rows = (page: string) => [...page.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row = '']) =>
  row.replaceAll(/<[^>]*>|\n/g, ' ').replaceAll(/ +/g, ' ').trim())

test('the page tells what to paste, and three questions, each of which is answered', async t => {
  const app = await serveSolarSystem({ prefix: '/api', explorer: { title: 'The solar system' } })
  t.match((await app.inject({ url: '/api', headers: sent })).body, '<a href="/api/mcp">For agents</a>')
  const { statusCode, body } = await app.inject({ url: '/api/mcp', headers: { ...sent, host: 'x.example' } })
  t.equal(statusCode, 200)
  t.strictSame(codes(body), [
    'claude mcp add --transport http the-solar-system http://x.example/api/mcp',
    '{"mcpServers":{"the-solar-system":{"url":"http://x.example/api/mcp"}}}',
    ['llms.txt', 'planets', 'openapi.json'].map(name => `curl http://x.example/api/${name}`).join('\n')
  ])
  t.strictSame(links(body), [
    '/api/planets?fields=kind,count()', '/api/planets?fields=name,moons.count()&sort=moons.count()+desc&size=5',
    '/api/planets?sort=mean_radius_km+desc&size=5'
  ])
  for (const url of links(body)) t.equal((await app.inject(url)).statusCode, 200, url)
  t.equal((await app.inject('/api/mcp')).statusCode, 405)
})

const shown = { readable: true, writable: true } as const
const notToAgents = ({ door }: Context) => door !== 'mcp'

const desk = async (options: Partial<DataApiOptions>) => {
  const Id = Type.Integer({ identifier: true, readable: true })
  return explore({
    collections: {
      people: collection(Type.Object({
        id: Id,
        email: Type.String(shown),
        notes: SubCollection('notes', { foreignKey: 'personId', ...shown })
      }, { title: '<b>People</b>' }), {
        source: memory([]), rules: { fields: { email: { read: notToAgents, write: notToAgents } } }
      }),
      notes: collection(Type.Object({ id: Id, text: Type.String(shown), personId: Type.Optional(Type.Integer()) }), {
        source: memory([]), rules: { read: notToAgents, delete: notToAgents }
      })
    },
    requestStrategies: { batch: true, delete: true },
    ...options
  })
}

test('it tells what an agent of the reader reads and writes, which may be less than the reader', async t => {
  const read = await (await desk({ mcp: true })).get('/mcp')
  t.strictSame(rows(read.body), ['&lt;b&gt;People&lt;/b&gt; 1 field nothing'])
  t.match(codes(read.body)[0], ' --header "Authorization: Bearer $TOKEN"')
  t.match(read.headers, { 'cache-control': 'private, no-cache', vary: /Accept/ })
  const write = await (await desk({ mcp: { write: true } })).get('/mcp')
  t.strictSame(rows(write.body), ['&lt;b&gt;People&lt;/b&gt; 1 field delete', 'notes nothing create'])
})

test('without the door there is no page, and without pages the door is as ever', async t => {
  const closed = await desk({})
  t.equal((await closed.get('/mcp')).status, 404)
  t.notMatch(await closed.page('/'), 'For agents')
  t.equal((await (await desk({ mcp: true, explorer: false })).get('/mcp')).status, 405)
})
