import dataApi, { sqlite } from 'fastify-data-api'
import Fastify from 'fastify'
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import { launchChromium } from '../helpers/chromium.ts'

// Makes the pictures of the documents from the example: npm run pictures.

const root = new URL('../../', new URL(import.meta.url.replace('/dist/', '/')))
const folder = fileURLToPath(new URL('docs/pictures/', root))
const filters = 'planet.name=Saturn&mean_radius_km>100'
const request = `/moons?${filters}&sort=-mean_radius_km&fields=name,mean_radius_km,planet(name)`

const launched = await launchChromium()
if ('reason' in launched) throw new Error(launched.reason)
const { browser } = launched
const db = sqlite(':memory:')
fill(db, fileURLToPath(new URL('examples/solar-system/data/', root)))
const app = Fastify({ forceCloseConnections: true })
await app.register(dataApi, {
  collections: solarSystem(db),
  requestStrategies: { delete: true },
  explorer: { title: 'The solar system' }
})
const base = await app.listen({ host: '127.0.0.1', port: 3000 })
mkdirSync(folder, { recursive: true })

await picture('grid', 'light', page => page.goto(base + request))
await picture('grid-dark', 'dark', page => page.goto(base + request))
await picture('conflict', 'light', async page => {
  await page.goto(`${base}/missions/1?_edit`)
  await app.inject({ method: 'PATCH', url: '/missions/1', payload: { name: 'Pioneer I', outcome: 'success' } })
  await page.fill('#field-name', 'Pioneer One')
  await page.click('button:text("Save")')
})
await besideJson(browser)
await browser.close()
await app.close()
db.close()

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
