import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import Fastify from './fastify.ts'
import { type Test, test } from 'tap'
import dataApi, { type DataApiOptions } from '../../lib/index.ts'
import { collections as music, tables as musicTables } from '../fixtures/music.ts'
import { type Collections, type Opened, openers, type Tables } from './sources.ts'

/** Declarations and the tables that they are over. `ddl`: statements that create the tables. */
export interface World { readonly collections: Collections, readonly tables: Tables, readonly ddl?: string }

/** The functions that a test is given, all over one source. */
export interface Tools {
  readonly t: Test
  readonly app: FastifyInstance
  readonly opened: Opened
  get (url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  request (options: InjectOptions): Promise<LightMyRequestResponse>
  /** Sends a request with a body as JSON; without a body where it is undefined. */
  send (
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown, headers?: Record<string, string>
  ): Promise<LightMyRequestResponse>
  /** Asserts the status, the body and the given headers of a response. */
  same (
    response: LightMyRequestResponse, status: number, body: unknown, headers?: Record<string, string | undefined>
  ): void
}

type Options = Omit<DataApiOptions, 'collections'>

/** Runs a test of the contract on each kind of source, by default over the fixture music.ts. */
export function everySource (
  name: string, run: (tools: Tools) => Promise<void>, options: Options = {},
  world: World = { collections: music, tables: musicTables }
): void {
  for (const [kind, open] of Object.entries(openers)) {
    test(`${name} (${kind})`, async t => {
      const opened = await open(world.tables, world.ddl)
      const app = Fastify()
      await app.register(dataApi, { ...options, collections: world.collections(opened.source) })
      try {
        await run({
          t,
          app,
          opened,
          get: (url, headers = {}) => app.inject({ url, headers }),
          request: options => app.inject(options),
          send: (...args) => send(app, ...args),
          same: (...args) => { same(t, ...args) }
        })
      } finally {
        await app.close()
        await opened.close()
      }
    })
  }
}

function send (
  app: FastifyInstance, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown,
  headers: Record<string, string> = {}
) {
  return app.inject({
    method,
    url,
    headers: { ...body !== undefined && { 'content-type': 'application/json' }, ...headers },
    ...body !== undefined && { payload: JSON.stringify(body) }
  })
}

function same (
  t: Test, response: LightMyRequestResponse, status: number, body: unknown,
  headers: Record<string, string | undefined> = {}
): void {
  const got = {
    status: response.statusCode,
    body: bodyOf(response),
    headers: Object.fromEntries(Object.keys(headers).map(name => [name, response.headers[name]]))
  }
  t.strictSame(got, { status, body, headers })
}

function bodyOf ({ body, headers }: LightMyRequestResponse): unknown {
  return body !== '' && String(headers['content-type']).includes('json') &&
    !String(headers['content-type']).includes('ndjson')
    ? JSON.parse(body)
    : body
}
