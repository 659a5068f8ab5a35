import { Type } from '@sinclair/typebox'
import Fastify from '../helpers/fastify.ts'
import { test } from 'tap'
import dataApi, { collection, memory, SubCollection } from '../../lib/index.ts'
import { cellsOf, codeIn, read } from '../helpers/documents.ts'

// One collection that has every field which the tables of docs/comparison.md#coming-from name.

const shown = { readable: true, writable: true } as const
const integers = ['age', 'a', 'b', 'year', 'views'] as const
const Thing = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String(shown),
  title: Type.String(shown),
  body: Type.String(shown),
  student: Type.Boolean(shown),
  ...Object.fromEntries(integers.map(name => [name, Type.Integer(shown)])),
  parentId: Type.Integer(),
  albums: SubCollection('things', { foreignKey: 'parentId', readable: true }),
  comments: SubCollection('things', { foreignKey: 'parentId', readable: true })
})

test('every query that the tables name is answered', async t => {
  const app = Fastify()
  const row = { id: 1, name: 'Can', title: 'Tago Mago', body: '', student: true, parentId: 1 }
  const things = collection(Thing, { source: memory([{ ...row, age: 18, a: 1, b: 2, year: 1991, views: 101 }]) })
  await app.register(dataApi, { collections: { things } })
  const told = cellsOf(read('docs/comparison.md#coming-from')).flatMap(([, here = '']) => codeIn(here))
  const queries = told.filter(code => code.startsWith('?')).map(code => code.replaceAll('\\|', '|'))
  t.ok(queries.length >= 14, String(queries.length))
  for (const query of queries) {
    const { statusCode, body } = await app.inject(`/things${query.replaceAll(' ', '%20')}`)
    t.equal(statusCode, 200, `${query}: ${body}`)
  }
})
