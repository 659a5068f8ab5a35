import { Type } from '@sinclair/typebox'
import t, { test } from 'tap'
import dataApi, { collection, memory } from '../../lib/index.ts'
import { openChromium } from '../helpers/chromium.ts'
import { fastify } from '../helpers/fastify.ts'

// docs/explorer.md: Listings. A table of forty columns with long texts, in a browser without JavaScript.

const shown = { readable: true, listed: true } as const
const types = [
  Type.String(shown), Type.Number(shown), Type.Boolean(shown), Type.Array(Type.String(), shown), Type.Any(shown),
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], shown)
]
const note = 'Customer asks for the delivery before nine, because the street is closed for the market. '
const valuesOf = (row: number) => [
  note.repeat(row % 4), row * 1371.25, row % 2 === 0, row % 2 === 0 ? [] : ['fragile', 'cold'], { source: note },
  row % 3 === 0 ? null : `2026-11-24T09:41:${String(row % 60).padStart(2, '0')}.000Z`
]
const columns = Array.from({ length: 38 }, (_, index) => `column_${index}`)
const Product = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  title: Type.String({ identifier: true, readable: true }),
  ...Object.fromEntries(columns.map((name, index) => [name, types[index % types.length] ?? Type.Any(shown)]))
})
const rows = Array.from({ length: 60 }, (_, row) => ({
  id: row + 1,
  title: `Article ${row + 1} of the very long list of goods that are sold here`,
  ...Object.fromEntries(columns.map((name, index) => [name, valuesOf(row + 1)[index % types.length]]))
}))

const { skip, open: openPage } = await openChromium(t)
const app = fastify({ forceCloseConnections: true })
const products = collection(Product, { source: memory(rows) })
await app.register(dataApi, { collections: { products }, explorer: true })
const base = skip === false ? await app.listen({ port: 0 }) : ''
t.teardown(() => app.close())

const open = (width: number, options: object = {}, query = '') =>
  openPage(`${base}/products${query}`, { viewport: { width, height: 800 }, ...options })

test('no listing is wider than its window, in either direction of writing', { skip }, async t => {
  for (const width of [320, 390, 768, 1280, 1920]) {
    const { page, excess, close } = await open(width)
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate(`document.documentElement.dir = '${direction}'`)
      t.equal(await excess(), 0, `${width} ${direction}`)
    }
    await close()
  }
})

test('the head and the first column of a table stay while it scrolls, at 390 px as well', { skip }, async t => {
  for (const width of [390, 1280]) {
    const { page, close } = await open(width, { javaScriptEnabled: false })
    const places = async () => {
      const [head, key] = [page.locator('thead th.key'), page.locator('tbody tr:nth-child(9) .key')]
      const table = await page.locator('.scroll').boundingBox()
      return { top: ((await head.boundingBox())?.y ?? 0) - (table?.y ?? 0), left: (await key.boundingBox())?.x }
    }
    const before = await places()
    await page.locator('.scroll').hover()
    await page.mouse.wheel(1500, 120)
    await page.waitForTimeout(300)
    t.strictSame(await places(), before, `${width}`)
    t.not((await page.locator('tbody tr:nth-child(9) td').first().boundingBox())?.x, before.left)
    await close()
  }
})

test('a cell is one line high, and its whole text opens without a script', { skip }, async t => {
  const { page, close } = await open(1280, { javaScriptEnabled: false })
  const heights = await page.locator('tbody tr').evaluateAll(all => all.map(one => one.getBoundingClientRect().height))
  t.ok(heights.every(height => height === 33), String(heights))
  const cell = page.locator('tbody tr:nth-child(3) .cut').first()
  const value = page.locator('tbody tr:nth-child(3) .value').first()
  t.notOk(await value.isVisible())
  await cell.click()
  t.equal(await value.locator('p').textContent(), note.repeat(3))
  await page.keyboard.press('Escape')
  t.notOk(await value.isVisible())
  await close()
})

test('a number and a moment are copied as they are in JSON', { skip }, async t => {
  const { page, close } = await open(1280)
  const copied = async (column: number) => page.evaluate(`(() => {
    const cell = document.querySelectorAll('tbody tr:nth-child(50) > *')[${column}]
    getSelection().selectAllChildren(cell)
    return getSelection().toString()
  })()`)
  t.equal(await copied(3), '68562.5')
  t.equal(await copied(7), '2026-11-24T09:41:50.000Z')
  t.match(await page.locator('tbody tr:nth-child(50) time').first().getAttribute('title'), '2026-11-24T09:41:50.000Z')
  await close()
})

test('the points of a column stand below each other', { skip }, async t => {
  const { page, close } = await open(1280)
  const ends = await page.evaluate(`[...document.querySelectorAll('tbody tr > :nth-child(4)')].map(cell => {
    const range = document.createRange()
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    let last = texts.nextNode()
    for (let next = last; next !== null; next = texts.nextNode()) last = next
    const point = last.data.indexOf('.')
    range.setStart(last, 0)
    range.setEnd(last, point < 0 ? last.data.length : point)
    return Math.round(range.getBoundingClientRect().right * 10)
  })`) as number[]
  t.equal(new Set(ends).size, 1, String(ends))
  await close()
})

test('no listing violates a rule of axe, also with what opens', { skip }, async t => {
  for (const [width, colorScheme] of [[390, 'light'], [1280, 'dark']] as const) {
    const { page, violations, close } = await open(width, { colorScheme, bypassCSP: true }, '?size=5')
    t.strictSame(await violations(), [])
    for (const opener of ['tbody .cut', 'thead .more', '[popovertarget=columns]', '[popovertarget=filter]']) {
      await page.locator(opener).first().click()
      t.strictSame(await violations(), [], opener)
      await page.keyboard.press('Escape')
    }
    await close()
  }
})
