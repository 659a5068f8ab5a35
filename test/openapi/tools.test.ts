import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import createFetchClient from 'openapi-fetch'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { test } from 'tap'
import dataApi, { type OpenApiDocument } from '../../lib/index.ts'
import { library } from '../fixtures/library.ts'
import { collections as music, tables } from '../fixtures/music.ts'
import { many } from '../fixtures/many.ts'
import { compile } from '../helpers/compile.ts'
import { writeProgram } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'
import { openers } from '../helpers/sources.ts'

// docs/clients.md: OpenAPI. What others' tools say of the document and make of it.

/** What an application says of its API itself. */
const openapi = {
  info: {
    title: 'Library',
    version: '1.0.0',
    license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    contact: { name: 'Ada', url: 'https://example.com', email: 'ada@example.com' }
  },
  security: [{ token: [] }],
  securitySchemes: { token: { type: 'http', scheme: 'bearer' } }
}

/** A document of each profile and version, one of collections with many relations, and one of many collections. */
async function documents (): Promise<readonly OpenApiDocument[]> {
  const [first, second, third] = [Fastify(), Fastify(), Fastify()]
  await first.register(dataApi, { collections: library(), openapi })
  await second.register(dataApi, { collections: music((await openers.memory(tables)).source), openapi })
  await third.register(dataApi, { collections: many(101), openapi })
  return [
    first.dataApi.openapi(),
    first.dataApi.openapi({ version: '3.2' }),
    first.dataApi.openapi({ profile: 'types' }),
    first.dataApi.openapi({ profile: 'tools' }),
    second.dataApi.openapi(),
    third.dataApi.openapi()
  ]
}

test('Redocly has nothing to say', async t => {
  const config = await createConfig({ extends: ['recommended'] })
  for (const document of await documents()) {
    const told = await lintFromString({ source: JSON.stringify(document), config })
    t.strictSame(told.map(({ ruleId, message }) => `${ruleId}: ${message}`), [])
  }
})

test('Spectral has nothing to say', async t => {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']] } as never)
  for (const document of await documents()) {
    const told = await spectral.run(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)
    t.strictSame(told.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`), [])
  }
})

const program = `
import type createClient from 'openapi-fetch'
import type { paths } from './api.ts'

export async function ask (client: ReturnType<typeof createClient<paths>>) {
  const { data: list, response } = await client.GET('/authors', {
    params: { query: { 'rating>': 5, 'name^': 'A', where: ['books.title=One', 'id<3'], sort: 'name desc', size: 5 } }
  })
  const first = list?.[0]
  const name: string | undefined = first?.name
  const rating: number | null | undefined = first?.rating
  const { data: author } = await client.GET('/authors/{identifier}', { params: { path: { identifier: 'Ada' } } })
  const kind: 'poet' | 'novelist' | null | undefined = author?.kind
  const { data: books } = await client.GET('/authors/{identifier}/books', { params: { path: { identifier: '1' } } })
  const title: string | undefined = books?.[0]?.title
  const { data: created } = await client.POST('/authors', { body: { name: 'Cy', rating: 1 } })
  const { data: updated } = await client.PATCH('/authors/{identifier}', {
    params: { path: { identifier: 'Cy' } }, body: { rating: null }
  })
  const { error } = await client.GET('/authors/{identifier}', { params: { path: { identifier: 'Dee' } } })
  const code: string | undefined = error?.error
  // @ts-expect-error: the rating is a number
  const wrong = () => client.GET('/authors', { params: { query: { 'rating>': 'x' } } })
  // @ts-expect-error: no collection
  const missing = () => client.GET('/authrs')
  // @ts-expect-error: a required member
  const nameless = () => client.POST('/authors', { body: { rating: 1 } })
  // @ts-expect-error: no such member
  const unknown: unknown = first?.nam
  void [wrong, missing, nameless, unknown]
  return { url: response.url, names: list?.map(one => one.name), name, rating, kind, title, created, updated, code }
}
`

test('openapi-typescript and openapi-fetch compile strictly, and get right answers', async t => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(dataApi, { collections: library() })
  t.teardown(() => app.close())
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  const types = astToString(await openapiTypeScript(new URL(`${baseUrl}/openapi.json?profile=types`)))
  t.strictSame(compile({ 'api.ts': types, 'program.ts': program }).errors, [])
  const { ask } = await import(writeProgram('openapi-fetch.ts', program).href) as {
    ask: (client: unknown) => Promise<Record<string, unknown>>
  }
  const { url, ...answers } = await ask(createFetchClient({ baseUrl }))
  t.strictSame(answers, {
    names: ['Ada'],
    name: 'Ada',
    rating: 7.5,
    kind: 'poet',
    title: 'One',
    created: { status: 'created', id: 3 },
    updated: { status: 'ok' },
    code: 'identifier_not_found'
  })
})
