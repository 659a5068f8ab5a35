import { test } from 'tap'
import { fileURLToPath } from 'node:url'
import { read, root } from '../helpers/documents.ts'
import { fastify } from '../helpers/fastify.ts'
import { addPictured, digestsOf } from './pictured.ts'

test('the pictures of the documents show the pages as they are: npm run pictures makes them', async t => {
  const app = fastify()
  const db = await addPictured(app, fileURLToPath(root))
  t.strictSame(JSON.parse(read('test/explorer/pictured.json')), await digestsOf(app))
  await app.close()
  db.close()
})
