import { createRequire } from 'node:module'
import { test } from 'tap'
import type * as TypeScript from 'typescript'
import { createClient } from '../../lib/clients/client/index.ts'
import dataApi, { type DataApiOptions } from '../../lib/index.ts'
import { library } from '../fixtures/library.ts'
import { compile } from '../helpers/compile.ts'
import Fastify from '../helpers/fastify.ts'

// docs/own-code.md: Queries. A program of the client is one of own code, which compiles and finds the same.

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

const program = `
  const query = {
    where: {
      or: [{ kind: ['poet', null], seen: { lt: new Date() } }, { books: { title: { startsWith: 'O' } } }],
      rating: { gte: 5, ne: null }, not: { name: { containsIgnoreCase: 'x' } }, 'books.count()': { gt: 0 }, active: true
    },
    sort: ['-rating', 'id desc', 'books.count()', '-books.pages.max()'],
    fields: ['name', 'born', { books: { fields: ['title'], where: { pages: { lt: 9 } }, sort: '-title', limit: 2 } }],
    size: 1,
    count: true
  } as const
  const { items, next, total } = await authors.list(query)
  const first: string | undefined = items[0]?.name
  const title: unknown = items[0]?.books[0]?.title
  seen.push(items, first, title, next, total, await authors.count({ rating: null }))
  const page = await books.list({ fields: ['title', { author: ['name'] }], sort: 'author.name', limit: 1, offset: 0 })
  seen.push(page.items, (await books.list({ fields: ['title'], limit: 1, ...page.next })).items)
  const [counted] = (await authors.list({ fields: [{ books: { count: true, sum: ['pages'] } }], sort: 'id' })).items
  const count: number | undefined = counted?.books.count
  seen.push(counted, count, counted?.books.pages.sum)
  const groups = await authors.groups({
    by: ['active', { born: 'year' }], count: true, max: ['rating'], where: { id: { in: [1, 2] } },
    having: { 'count()': { gt: 0 }, or: [{ 'rating.max()': null }, { 'id.sum()': { lt: 3 } }] }, sort: '-count()'
  })
  const most: number | null | undefined = groups[0]?.rating.max
  seen.push(groups, most, await books.groups({ by: [{ author: ['name'] }], avg: ['pages'] }))
  for await (const { id } of authors.stream({ fields: ['id'], where: { and: [{ id: [1] }, {}] } })) seen.push(id)
  const made = await authors.create({ name: 'Cy', rating: 1 }, { returning: ['name', 'active'] })
  const name: string = made.name
  seen.push(made, name, await authors.update(1, { born: null }, { returning: ['name', 'rating'] }))
  const [several] = await authors.updateEach([{ id: 2, rating: 2 }], { returning: ['rating'] })
  seen.push(several, await authors.create([{ name: 'Di', rating: 3 }], { returning: ['name'] }))
  await authors.add(2, 'rating', 4)
  await authors.updateMany({ rating: { gt: 5 } }, { active: true }, { max: 5 })
  await authors.deleteMany({ name: 'Di' })
  await authors.delete(3)
  seen.push(await authors.get(2, { fields: ['name', 'rating', 'active', { books: ['id'] }] }), await authors.count())
`

const mistakes = [
  ['there is no such field', "authors.list({ where: { nam: 'A' } })"],
  ['there is no such field', "authors.list({ where: { or: [{ nam: 'A' }] } })"],
  ['there is no such field', "authors.list({ sort: 'nam' })"],
  ['there is no such field', "authors.list({ fields: ['nam'] })"],
  ['there is no such relation', "authors.list({ fields: [{ bookz: ['id'] }] })"],
  ['there is no such member', "authors.list({ fields: [{ books: { feilds: ['id'] } }] })"],
  ['there is no such operator', 'authors.list({ where: { rating: { lessThan: 3 } } })'],
  ['the client has words for operators', "authors.list({ where: { rating: { '>=': 3 } } })"],
  ['an operator of texts on a number', "authors.list({ where: { rating: { startsWith: 'A' } } })"],
  ['booleans have no order', 'authors.list({ where: { active: { lt: true } } })'],
  ['another type', "authors.list({ where: { id: 'A' } })"],
  ['another type', "authors.count({ id: { in: ['A'] } })"],
  ['a number is compared with one', "authors.count({ 'books.count()': { gt: 'A' } })"],
  ['not one of its values', "authors.list({ where: { kind: 'painter' } })"],
  ['it is never null', 'authors.list({ where: { name: null } })'],
  ['an author has many books', "authors.list({ sort: 'books.title' })"],
  ['there is no such field', "authors.groups({ by: ['nam'], count: true })"],
  ['there is no such unit', "authors.groups({ by: [{ born: 'years' }], count: true })"],
  ['there is no such function', "authors.groups({ count: true, having: { 'rating.some()': 3 } })"],
  ['there is no such field', "authors.get(1, { fields: ['nam'] })"],
  ['a field that is not selected', "(await authors.get(1, { fields: ['name'] })).rating"],
  ['another type', 'authors.update(1, { name: 1 })'],
  ['there is no such field', "authors.update(1, { nam: 'A' })"],
  ['there is no such field', "authors.update(1, {}, { returning: ['nam'] })"],
  ['another type', 'authors.updateMany({ id: 1 }, { name: 1 })'],
  ['there is no such field', "authors.deleteMany({ nam: 'A' })"],
  ['it is no number', "authors.add(1, 'name', 1)"]
] as const

const heads = {
  client: `
    import { createClient } from '../../lib/clients/client/index.ts'
    import type { Api } from './api.ts'
    const { authors, books } = createClient<Api>('http://host')`,
  'own code': `
    import type { SystemData } from '../../lib/index.ts'
    import type { library } from '../fixtures/library.ts'
    declare const data: SystemData
    declare const declared: ReturnType<typeof library>
    const [authors, books] = [data.collection(declared.authors), data.collection(declared.books)]`
}

const options = (): DataApiOptions => ({
  collections: library(), naming: 'none', requestStrategies: { upsert: true, bulk: ['PATCH', 'DELETE'] }
})

async function started () {
  const app = Fastify()
  const declared = options()
  await app.register(dataApi, declared)
  return { app, declared }
}

for (const [name, head] of Object.entries(heads)) {
  test(`the program compiles, and no mistake does (${name})`, async t => {
    const { app } = await started()
    const wrong = mistakes.map(([why, text]) => `// @ts-expect-error ${why}\nawait ${text}`).join('\n')
    const text = `${head}\nconst seen: unknown[] = []\n${program}\n${wrong}\nexport {}`
    t.strictSame(compile({ 'api.ts': app.dataApi.types(), 'program.ts': text }).errors, [])
  })
}

/** Returns what the program has seen. */
async function run (authors: unknown, books: unknown): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  const { outputText } = ts.transpileModule(`export async function program (authors, books, seen) {${program}}`, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 }
  })
  const { program: work } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`) as
    { program: (...given: unknown[]) => Promise<void> }
  await work(authors, books, seen)
  return seen
}

test('it finds and writes the same', async t => {
  const [one, other] = [await started(), await started()]
  const client = createClient('http://host', {
    async fetch (url, { method = 'GET', headers, body }) {
      const { statusCode, payload, headers: told } = await one.app.inject({
        method: method as 'GET',
        url: url.slice('http://host'.length),
        headers: headers as Record<string, string>,
        ...typeof body === 'string' && { payload: body }
      })
      return new Response(payload, { status: statusCode, headers: told as Record<string, string> })
    }
  })
  const system = other.app.dataApi.asSystem()
  const asJson = (seen: readonly unknown[]) => JSON.parse(JSON.stringify(seen)) as unknown
  const bySystem = asJson(await run(
    system.collection(other.declared.collections['authors'] as never), system.collection('books')
  ))
  t.strictSame(bySystem, asJson(await run(client.resource('authors'), client.resource('books'))))
})
