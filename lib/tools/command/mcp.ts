import type { FastifyInstance } from 'fastify'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { headersFor } from '../../doors/agents/message.ts'
import { prepare, preparingFlags } from './prepare.ts'
import { describeDesign } from './report.ts'
import type { Command } from './run.ts'
import { makeApp, sessionOf } from './serve.ts'

/** Serves a database to the agent that has started this process, until its standard input ends. */
export const mcp: Command = {
  flags: { ...preparingFlags, role: 'text', claims: 'text', write: 'switch' },
  async run (flags, terminal) {
    const write = flags.has('write')
    const { database, design } = await prepare(flags, { write, session: sessionOf(flags) }, terminal)
    const serving = { host: '127.0.0.1', prefix: '', write, mcp: { path, write } }
    const app = await makeApp(database, design, serving, terminal)
    // Standard output holds messages alone.
    terminal.error(`${describeDesign(design, { label: database.label, write, all: false })}\n`)
    await converse(process.stdin, terminal.out, app)
    await app.close()
    await database.db.close()
    return 0
  }
}

// No table has this name on the wire.
const path = '~agents'

/** Answers messages, one a line. No line ends it. */
export async function converse (input: Readable, out: (text: string) => void, app: FastifyInstance): Promise<void> {
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue
    const answer = await answerLine(line, app).catch(() => failure(-32603, 'The message cannot be answered.'))
    if (answer !== '') out(`${answer}\n`)
  }
}

async function answerLine (payload: string, app: FastifyInstance): Promise<string> {
  const headers = { 'content-type': 'application/json', ...headersFor(tryParse(payload)) }
  const { statusCode, body } = await app.inject({ method: 'POST', url: `/${path}`, headers, payload })
  if (statusCode < 500 && statusCode !== 413) return body
  const { message } = JSON.parse(body) as { readonly message: string }
  return failure(statusCode < 500 ? -32600 : -32603, message)
}

const failure = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })

function tryParse (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
