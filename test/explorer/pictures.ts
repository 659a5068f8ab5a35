import Fastify from 'fastify'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../helpers/chromium.ts'
import { addPictured, digestsOf, mine, request, theirs } from './pictured.ts'

// Makes the pictures of the documents from the example: npm run pictures.

const root = new URL('../../', new URL(import.meta.url.replace('/dist/', '/')))
const folder = fileURLToPath(new URL('docs/pictures/', root))

const launched = await launchChromium()
if ('reason' in launched) throw new Error(launched.reason)
const { browser } = launched
const app = Fastify({ forceCloseConnections: true })
const db = await addPictured(app, fileURLToPath(root))
const base = await app.listen({ host: '127.0.0.1', port: 3000 })
mkdirSync(folder, { recursive: true })

await picture('grid', 'light', page => page.goto(base + request))
await picture('grid-dark', 'dark', page => page.goto(base + request))
await picture('agents', 'light', page => page.goto(`${base}/mcp`))
await picture('conflict', 'light', async page => {
  await page.goto(`${base}/missions/1?_edit`)
  await app.inject({ method: 'PATCH', url: '/missions/1', payload: theirs })
  await page.fill('#field-name', mine.name)
  await page.click('button:text("Save")')
  await page.locator('.merge').first().waitFor()
})
await besideJson(browser)
await browser.close()
await app.close()
db.close()
const fresh = Fastify()
const freshDb = await addPictured(fresh, fileURLToPath(root))
writeFileSync(new URL('test/explorer/pictured.json', root), `${JSON.stringify(await digestsOf(fresh), null, 2)}\n`)
await fresh.close()
freshDb.close()

/** Saves what a browser shows after some steps. */
async function picture (name: string, colorScheme: 'light' | 'dark', show: (page: Page) => Promise<unknown>) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1000, height: 640 } })
  await show(page)
  await page.screenshot({ path: `${folder}${name}.png` })
  await page.close()
}

/** Saves the page of a URL beside the JSON of the same URL, for README. The browser has no monospaced font. */
async function besideJson (browser: Browser) {
  const file = 'node_modules/@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2'
  const font = readFileSync(new URL(file, root)).toString('base64')
  const grid = await browser.newPage({ viewport: { width: 820, height: 600 } })
  await grid.goto(base + request)
  const shown = (await grid.screenshot()).toString('base64')
  const items = JSON.parse((await app.inject({ url: request })).body) as object[]
  const json = items.map(item => JSON.stringify(item).replaceAll('<', '&lt;')).join(',\n ')
  // A line ends between two parameters alone.
  const url = request.replaceAll('&', '&amp;').split(/(?=&)/)
    .map(part => `<span style="white-space:nowrap">${part}</span>`).join('<wbr>')
  const page = await browser.newPage({ viewport: { width: 1480, height: 600 } })
  await page.setContent(`<style>@font-face { font-family: mono; src: url(data:font/woff2;base64,${font}) }</style>
    <body style="margin:0;display:flex;background:#f4f4f2">
    <img src="data:image/png;base64,${shown}" style="flex:none">
    <pre style="font:13px/1.8 mono;margin:24px;white-space:pre-wrap">${
    `$ curl 'localhost:3000${url}'\n[${json}]`}</pre>`)
  // What this promise gives cannot be sent to this process.
  await page.evaluate('document.fonts.ready.then(() => {})')
  await page.screenshot({ path: `${folder}page-and-json.png` })
}
