import { type TProperties, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { test } from 'tap'
import dataApi, { collection, type Rules, SubCollection, SubItem } from '../../../lib/index.ts'
import fc, { runsOf } from '../../helpers/fast-check.ts'
import Fastify from '../../helpers/fastify.ts'
import { openers } from '../../helpers/sources.ts'
import { everybody } from '../../helpers/everybody.ts'

// docs/http.md: Rules. Wherever a request can be wrong about a name, no answer gives the name of a field that the
// caller may neither read nor write. The header `deny` names the fields, and the collections that may not be read.

const flags = { readable: true, writable: true } as const
const schemas = {
  authors: {
    authorKey: Type.Integer({ identifier: true, readable: true }),
    penName: Type.String({ identifier: true, ...flags }),
    birthplace: Type.Optional(Type.String(flags)),
    mentor: SubItem('authors', { foreignKey: 'mentorKey', ...flags }),
    mentorKey: Type.Optional(Type.Integer(flags)),
    novels: SubCollection('books', { foreignKey: 'writerKey', ...flags })
  },
  books: {
    bookKey: Type.Integer({ identifier: true, readable: true }),
    headline: Type.String(flags),
    writerKey: Type.Optional(Type.Integer(flags)),
    writer: SubItem('authors', { foreignKey: 'writerKey', ...flags }),
    subjects: SubCollection('topics', { through: 'book_topics', foreignKey: 'bookKey', otherKey: 'topicKey', ...flags })
  },
  topics: {
    topicKey: Type.Integer({ identifier: true, ...flags }),
    keyword: Type.String(flags),
    volumes: SubCollection('books', { through: 'book_topics', foreignKey: 'topicKey', otherKey: 'bookKey', ...flags })
  }
}
const collectionNames = ['authors', 'books', 'topics'] as const
type CollectionName = typeof collectionNames[number]

const tables = {
  authors: [
    { authorKey: 1, penName: 'Ann', birthplace: 'Rome', mentorKey: null },
    { authorKey: 2, penName: 'Bob', birthplace: 'Oslo', mentorKey: 1 }
  ],
  books: [{ bookKey: 1, headline: 'One', writerKey: 1 }, { bookKey: 2, headline: 'Two', writerKey: 2 }],
  topics: [{ topicKey: 1, keyword: 'sea' }],
  book_topics: [{ bookKey: 1, topicKey: 1 }]
}

const isDenied = (request: FastifyRequest, one: string) => String(request.headers['deny']).split(' ').includes(one)

const rulesOf = (name: CollectionName): Rules => {
  const allow = (one: string) => ({ request }: { readonly request: FastifyRequest }) => !isDenied(request, one)
  return {
    read: allow(name),
    fields: Object.fromEntries(Object.keys(schemas[name]).map(field =>
      [field, { read: allow(`${name}.${field}`), write: allow(`${name}.${field}`) }]))
  }
}

const toName = (property: string) => property.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
const fieldsOf = (name: CollectionName) => Object.keys(schemas[name])

interface Sent { readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT', readonly url: string, readonly body?: unknown }

/** Returns requests for a collection that are wrong about a name or its value, in every place of a name. */
function wrongRequests (name: CollectionName): readonly Sent[] {
  const own = fieldsOf(name).map(toName)
  const misspelt = collectionNames.flatMap(fieldsOf).map(one => `${toName(one).slice(0, -1)}x`)
  const urls = [
    ...own.flatMap(one => [
      `?${one}=zzz`, `?${one}=5`, `?${one}.zzz=5`, `?fields=${one}(id;sort=zzz)`, `/1/${one}/zzz`
    ]),
    ...[...own, ...misspelt].flatMap(one => [
      `?where=!(${one}*=5)`, `?sort=${one}`, `?fields=${one}(zzz)`, `/by_${one}`, `/by_${one}/zzz`, `/1/${one}`
    ]),
    ...own.flatMap(relation => misspelt.flatMap(one => [`?${relation}.${one}=5`, `?fields=${relation}(${one})`]))
  ]
  const values = ['zzz', ...misspelt.flatMap(one => [{ [one]: 1 }, [{ [one]: 1 }]])]
  const bodies = [
    {}, ...misspelt.map(one => ({ [one]: 1 })), ...own.flatMap(one => values.map(value => ({ [one]: value })))
  ]
  const writes = bodies.flatMap((body): Sent[] => [
    { method: 'POST', url: `/${name}`, body }, { method: 'PATCH', url: `/${name}/1`, body }
  ])
  return [
    ...urls.map((rest): Sent => ({ method: 'GET', url: `/${name}${rest}` })),
    ...own.map((one): Sent => ({ method: 'PUT', url: `/${name}/1/${one}`, body: 'zzz' })),
    ...writes
  ]
}

const requests = collectionNames.flatMap(wrongRequests)

/** Returns the names on the wire that no answer to the request may give. */
function hiddenNames ({ method }: Sent, denied: readonly string[]): readonly string[] {
  const isHidden = (name: CollectionName, field: string) => {
    const schema = schemas[name][field as never] as { readonly identifier?: boolean }
    return denied.includes(`${name}.${field}`) ||
      (method === 'GET' && denied.includes(name) && schema.identifier !== true)
  }
  return collectionNames.flatMap(name => fieldsOf(name).filter(field => isHidden(name, field))).map(toName)
}

/** Sends the requests. Returns the first answer that gives a hidden name which the request does not have. */
async function findName (
  denied: readonly string[], sample: readonly Sent[], deny = denied
): Promise<string | undefined> {
  const { source } = await openers.memory(tables)
  const app = Fastify()
  await app.register(dataApi, {
    rules: everybody,
    requestStrategies: { upsert: true },
    collections: Object.fromEntries(collectionNames.map(name =>
      [name, collection(Type.Object(schemas[name] as TProperties), { source: source(name), rules: rulesOf(name) })]))
  })
  const headers = { deny: deny.join(' '), 'content-type': 'application/json' }
  for (const sent of sample) {
    const { method, url, body } = sent
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const answer = await app.inject({ method, url, headers, ...payload !== undefined && { payload } })
    const asked = wordsOf(`${url} ${payload}`)
    const given = wordsOf(answer.body)
    const named = hiddenNames(sent, denied).find(name => given.has(name) && !asked.has(name))
    if (named !== undefined) return `${denied.join()}: ${method} ${url} ${payload}: ${named} in ${answer.body}`
  }
  await app.close()
  return undefined
}

const wordsOf = (text: string) => new Set(text.match(/\w+/g))

const everything = collectionNames.flatMap(name => [name, ...fieldsOf(name).map(field => `${name}.${field}`)])
const denials = fc.subarray(everything, { minLength: 1, maxLength: 6 })
const runs = runsOf(8)

const nameless = fc.asyncProperty(denials, fc.nat(3), async (denied, part) => {
  const found = await findName(denied, requests.filter((_, index) => index % 4 === part))
  if (found !== undefined) throw new Error(found)
})

test('no answer gives the name of a field that the caller may not use', async t => {
  await fc.assert(nameless, { numRuns: runs })
  t.pass(`${runs} sets of rules, with a quarter of ${requests.length} requests each`)
})

test('a name is found in the answers to a caller who may use its field', async t => {
  for (const field of everything.filter(one => one.includes('.'))) {
    t.match(await findName([field], requests, []), ` ${toName(field.split('.')[1] ?? '')} in `)
  }
})
