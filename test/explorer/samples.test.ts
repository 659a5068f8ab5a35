import { test } from 'tap'
import { fileURLToPath } from 'node:url'
import { read, root } from '../helpers/documents.ts'
import { browser, plain } from '../helpers/explorer-pages.ts'
import { fastify } from '../helpers/fastify.ts'
import { addPictured, digestsOf } from './pictured.ts'
import { hard, type Sample, shop } from './samples.ts'

// Every page that a link of the samples leads to.

for (const [name, make, most] of [['a shop', shop, 100], ['a hard schema', hard, 400]] as const) {
  test(`every link of ${name} leads to a page, and no value becomes markup`, async t => {
    const sample = await make()
    const walked = await walk(sample, most)
    t.ok(walked.size >= 100, `${walked.size} pages`)
    const isFine = (url: string, status: number) => status === 200 || (status < 500 && sample.paths.includes(url))
    t.strictSame([...walked].filter(([url, { status }]) => !isFine(url, status)), [])
    t.strictSame([...walked].filter(([, { faults }]) => faults.length > 0), [])
    await sample.app.close()
  })
}

/** Follows links from the pages of a sample. Returns the pages by their URL. */
async function walk ({ app, paths }: Sample, most: number) {
  const pages = new Map<string, { readonly status: number, readonly faults: readonly string[] }>()
  const left: string[] = [...paths]
  for (let url = left.shift(); url !== undefined && pages.size < most; url = left.shift()) {
    if (pages.has(url)) continue
    const { statusCode, body, headers } = await app.inject({ url, headers: browser })
    const text = body.replaceAll(/<(style|script)[^]*?<\/\1>/g, '')
    pages.set(url, { status: statusCode, faults: text.match(/<(?:b>x|img src=x|\/script)/g) ?? [] })
    if (!String(headers['content-type']).startsWith('text/html')) continue
    const links = [...text.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, link = '']) => plain(link))
    left.push(...links.filter(link => !link.includes('format=')).slice(0, 60))
  }
  return pages
}

test('the pictures of the documents show the pages as they are: npm run pictures makes them', async t => {
  const app = fastify()
  const db = await addPictured(app, fileURLToPath(root))
  t.strictSame(JSON.parse(read('test/explorer/pictured.json')), await digestsOf(app))
  await app.close()
  db.close()
})
