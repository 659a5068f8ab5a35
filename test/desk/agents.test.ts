import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { makeFile } from '../command/helpers.ts'
import { openDesk } from '../helpers/desk.ts'

// examples/desk, as agents use it by the official clients: over HTTP in the name of a person, over stdio by the
// command.

const info = { name: 'test', version: '1.0.0' }

/** Either client, as far as both are alike. */
interface AnyClient {
  listTools (): Promise<{ tools: ReadonlyArray<{ name: string }> }>
  callTool (params: { name: string, arguments: Record<string, unknown> }): Promise<unknown>
  close (): Promise<void>
}

test('an agent over HTTP reads and writes what its person may, and no more', { timeout: 120_000 }, async t => {
  const { app, login, ask } = await openDesk(t, 'sqlite')
  const url = new URL('/api/mcp', await app.listen({ port: 0 }))
  const requestInit = { headers: { authorization: `Bearer ${await login('bob')}` } }
  const older = new Client(info)
  await older.connect(new StreamableHTTPClientTransport(url, { requestInit }) as never)
  const newer = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await newer.connect(new ModernTransport(url, { requestInit }))
  for (const [n, client] of ([older, newer] as unknown as readonly AnyClient[]).entries()) {
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })
    t.strictSame((await client.listTools()).tools.map(({ name }) => name), ['describe', 'get', 'write'])
    const described = JSON.stringify(await call('describe', {}))
    t.match(described, /tickets: id\*/)
    t.notMatch(described, /cost|note|phone|sessions|entries|attachments/)
    t.match(await call('get', { url: '/tickets?assignee.name=Bob&state=open&fields=id&limit=1' }), {
      structuredContent: { data: [{ id: 2 }] }
    })
    t.match(await call('get', { url: '/customers?email=x' }), { isError: true })
    let keys = 0
    // The desk keeps keys of writes, so an agent sends one, and may repeat a call whose answer it has not seen.
    const write = (...operations: readonly object[]) => call('write', { operations, key: `${n}.${keys++}` })
    const written = await write(
      { method: 'PATCH', path: '/tickets/2', body: { priority: n === 0 ? 'high' : 'low' } },
      { method: 'POST', path: '/tickets/2/comments', body: { text: `Comment ${n}.`, internal: true } }
    )
    t.match(written, { structuredContent: { results: [{ status: 200 }, { status: 201 }] } })
    const refused = { isError: true, content: [{ text: /forbidden/ }] }
    t.match(await write({ method: 'PATCH', path: '/tickets/3', body: { priority: 'low' } }), refused)
    t.match(await write({ method: 'POST', path: '/customers', body: { name: 'x', email: 'x' } }), refused)
    await client.close()
  }
  t.strictSame((await ask('ada', '/api/tickets/2/comments?fields=text,author(name)&sort=text')).json(),
    [0, 1].map(n => ({ text: `Comment ${n}.`, author: { name: 'Bob' } })))
  t.match((await ask('ada', '/api/entries?sort=-id&limit=1')).json(), [{ text: 'Bob changed ticket 2' }])
})

test('an agent without a token gets nothing', async t => {
  const { app } = await openDesk(t, 'sqlite')
  const url = new URL('/api/mcp', await app.listen({ port: 0 }))
  await t.rejects(new Client(info).connect(new StreamableHTTPClientTransport(url) as never), /401|Log in|Authorization/)
})

test('an agent over stdio works with the tables of the desk, by the command', { timeout: 120_000 }, async t => {
  const script = readFileSync(new URL('../../examples/desk/sqlite.sql', import.meta.url), 'utf8')
  const file = makeFile(`${script}; insert into tenants (name) values ('Acme');
    insert into customers (name, email, tenant_id) values ('Alder', 'office@alder.example', 1)`)
  const client = new Client(info)
  await client.connect(new StdioClientTransport({
    command: process.execPath,
    args: [
      `--import=${new URL('../helpers/strip-types.mjs', import.meta.url).href}`,
      fileURLToPath(new URL('../../lib/tools/command/main.ts', import.meta.url)),
      'mcp', file, '--write', '--tables', 'tenants,customers'
    ],
    stderr: 'ignore'
  }))
  const operations = [{ method: 'PATCH', path: '/customers/1', body: { phone: '123' } }]
  t.match(await client.callTool({ name: 'write', arguments: { operations } }), {
    structuredContent: { results: [{ status: 200 }] }
  })
  t.match(await client.callTool({ name: 'get', arguments: { url: '/customers/1/phone' } }), {
    structuredContent: { data: '123' }
  })
  await client.close()
})
