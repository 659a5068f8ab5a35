import axe from 'axe-core'
import dataApi, { sqlite } from 'fastify-data-api'
import type { Page } from 'playwright-core'
import t, { test } from 'tap'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import { launchChromium } from '../helpers/chromium.ts'
import { fastify } from '../helpers/fastify.ts'

// docs/explorer.md. The pages in a browser, without JavaScript; its launch is the expensive part, so there is one.

const launched = await launchChromium()
const skip = 'reason' in launched ? launched.reason : false
t.teardown(async () => { if ('browser' in launched) await launched.browser.close() })
const data = new URL('../../examples/solar-system/data/', import.meta.url).pathname

async function serve () {
  const db = sqlite(':memory:')
  fill(db, data)
  const app = fastify({ forceCloseConnections: true })
  await app.register(dataApi, { collections: solarSystem(db), explorer: { title: 'The solar system' } })
  app.addHook('onClose', () => { db.close() })
  return { app, base: await app.listen({ port: 0 }) }
}

test('the pages in Chromium, without JavaScript', { skip }, async t => {
  if ('reason' in launched) return
  const { app, base } = await serve()
  const context = await launched.browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const requested: string[] = []
  page.on('request', request => requested.push(request.url()))

  await t.test('a person finds an item by a filter, sorts, and opens it', async t => {
    await page.goto(base)
    await page.click('a[href="/moons"]')
    await page.selectOption('select[name=_field]', 'planet.name')
    await page.selectOption('select[name=_text]', 'starts_with')
    await page.fill('input[name=_value]', 'Jup')
    await page.click('button:text("Filter")')
    t.equal(page.url(), `${base}/moons?planet.name^=Jup`)
    await page.click('th a:text("mean_radius_km")')
    await page.click('th a:text("mean_radius_km")')
    await page.click('tbody tr:first-child a')
    t.equal(await page.textContent('h1 bdi'), 'Ganymede')
  })

  await t.test('a person changes an item, and meets a conflict', async t => {
    await page.goto(`${base}/missions/1?_edit`)
    await app.inject({ method: 'PATCH', url: '/missions/1', payload: { outcome: 'success' } })
    await page.fill('#field-name', 'Pioneer One')
    await page.click('button:text("Save")')
    t.equal(await page.locator('.conflict').count(), 1)
    await page.click('button:text("Save over it")')
    t.equal(await page.textContent('h1 bdi'), 'Pioneer One')
    t.match(await page.textContent('[role=status]'), 'saved')
  })

  t.strictSame(requested.filter(url => !url.startsWith(base) && !url.startsWith('data:')), [])
  await context.close()
  await app.close()
})

test('no page violates a rule of axe, in light and in dark', { skip }, async t => {
  if ('reason' in launched) return
  const { app, base } = await serve()
  for (const colorScheme of ['light', 'dark'] as const) {
    // The policy of the pages would refuse the script of axe.
    const context = await launched.browser.newContext({ bypassCSP: true, colorScheme })
    const page = await context.newPage()
    for (const path of paths) t.strictSame(await violations(page, base + path), [], `${colorScheme} ${path}`)
    await context.close()
  }
  await app.close()
})

const paths = [
  '/', '/moons?planet.name=Jupiter&sort=name', '/planets/jupiter', '/planets/home/name', '/planets/by_kind',
  '/planets?nam=1', '/missions?_new', '/missions/1?_edit', '/missions/1?_delete', '/missions/1/moons'
]

async function violations (page: Page, url: string): Promise<string[]> {
  await page.goto(url)
  await page.evaluate(axe.source)
  return page.evaluate('axe.run().then(({ violations }) => violations.map(one => one.id + \' \' + one.nodes[0].html))')
}
