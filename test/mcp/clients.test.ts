import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { makeFile } from '../command/helpers.ts'
import { serveSolarSystem } from '../helpers/agents.ts'

// docs/agents.md: Messages. The official clients of both protocols use the door, by HTTP and by the command.

const file = makeFile(`create table artists (id integer primary key, name text not null);
  insert into artists values (1, 'Can'), (2, 'Neu!')`)
const command = {
  command: process.execPath,
  args: [
    `--import=${new URL('../helpers/strip-types.mjs', import.meta.url).href}`,
    fileURLToPath(new URL('../../lib/tools/command/main.ts', import.meta.url)), 'mcp', file, '--write'
  ],
  stderr: 'ignore' as const
}

const info = { name: 'test', version: '1.0.0' }

/** Either client, as far as both are alike. */
interface AnyClient {
  listTools (): Promise<{ tools: ReadonlyArray<{ name: string }> }>
  listResources (): Promise<{ resources: ReadonlyArray<{ uri: string }> }>
  readResource (params: { uri: string }): Promise<unknown>
  callTool (params: { name: string, arguments: Record<string, unknown> }): Promise<unknown>
  close (): Promise<void>
}

async function connectAll (url: URL): Promise<ReadonlyArray<readonly [string, AnyClient]>> {
  const clients = [new Client(info), new Client(info)] as const
  await clients[0].connect(new StreamableHTTPClientTransport(url) as never)
  await clients[1].connect(new StdioClientTransport(command))
  const modern = [0, 1].map(() => new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }))
  await modern[0]?.connect(new ModernTransport(url))
  await modern[1]?.connect(new ModernStdio(command))
  return [
    ['older, HTTP', clients[0]], ['older, command', clients[1]], ...modern.map((client, index) =>
      [`newer, ${index === 0 ? 'HTTP' : 'command'}`, client] as const)
  ] as ReadonlyArray<readonly [string, AnyClient]>
}

test('the official clients describe, read and write, by HTTP and by the command', { timeout: 120_000 }, async t => {
  const app = await serveSolarSystem({ mcp: { write: true }, requestStrategies: { batch: true } })
  await app.listen({ port: 0 })
  const address = app.server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`)
  for (const [name, client] of await connectAll(url)) {
    const [collection, item, found] = name.includes('HTTP')
      ? ['planets', '/planets/4/name', 'Mars']
      : ['artists', '/artists/2/name', 'Neu!']
    t.strictSame((await client.listTools()).tools.map(tool => tool.name), ['describe', 'get', 'write'], name)
    t.match((await client.listResources()).resources[0], { uri: `data-api:/${collection}` }, name)
    t.match(await client.callTool({ name: 'describe', arguments: {} }), {
      content: [{ type: 'text', text: new RegExp(`^${collection}\\b.*: id\\* integer, name`) }]
    }, name)
    t.match(await client.callTool({ name: 'get', arguments: { url: item } }), {
      structuredContent: { data: found }
    }, name)
    t.match(await client.callTool({ name: 'get', arguments: { url: '/nothing' } }), { isError: true }, name)
    const [path, body] = name.includes('HTTP')
      ? ['/missions/1', { launch_vehicle: 'Falcon' }]
      : ['/artists/2', { name: 'Neu!' }]
    t.match(await client.callTool({
      name: 'write', arguments: { operations: [{ method: 'PATCH', path, body }], dry_run: false }
    }), { structuredContent: { results: [{ status: 200, body: { status: 'ok' } }] } }, name)
    const wrong = { operations: [{ method: 'PATCH', path: '/nothing' }] }
    t.match(await client.callTool({ name: 'write', arguments: wrong }), {
      isError: true, content: [{ text: /"operation":0/ }]
    }, name)
    t.match(await client.readResource({ uri: `data-api:${item}` }), {
      contents: [{ text: JSON.stringify({ data: found }) }]
    }, name)
    await client.close()
  }
  await app.close()
})
