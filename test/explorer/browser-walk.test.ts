import t, { test } from 'tap'
import { makeFile, serveTarget } from '../command/helpers.ts'
import { launchChromium } from '../helpers/chromium.ts'
import { tradeScript } from '../helpers/trade.ts'

// docs/explorer.md, docs/command.md. A person who has never seen the database that the command serves: every
// step is what the page before it shows.

const launched = await launchChromium()
const skip = 'reason' in launched ? launched.reason : false
t.teardown(async () => { if ('browser' in launched) await launched.browser.close() })

for (const [javaScriptEnabled, width] of [[true, 1280], [false, 390]] as const) {
  const name = 'finds, filters, groups, edits, meets a conflict, and deletes'
  test(`${name} (script: ${javaScriptEnabled}, ${width} px)`, { skip }, async t => {
    if ('reason' in launched) return
    const { app, close } = await serveTarget(makeFile(tradeScript(bytes => `x'${bytes}'`)), '--write')
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    const context = await launched.browser.newContext({ javaScriptEnabled, viewport: { width, height: 800 } })
    const page = await context.newPage()
    const faults: unknown[] = []
    page.on('pageerror', error => faults.push(error))
    page.on('response', response => { if (response.status() >= 500) faults.push(response.url()) })
    const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
    const step = async (what: string, work: () => Promise<unknown>) => {
      await work()
      t.notOk(await isTooWide(), what)
    }

    await step('finds', async () => {
      await page.goto(base)
      await page.fill('[type=search]', 'order')
      await page.click('button:text("Find")')
      await page.click('.index a:has(bdi:text-is("orders"))')
    })
    await step('filters', async () => {
      await page.click('button:text("+ filter")')
      await page.click('#filter a:text-is("ship_country")')
      await page.fill('.asks [name=_value]', 'Germany')
      await page.click('.asks button:text-is("Apply")')
      t.equal(new URL(page.url()).searchParams.get('ship_country'), 'Germany')
    })
    await step('groups', async () => {
      await page.fill('#query', 'ship_country=Germany&fields=ship_city,count()&sort=-count()')
      await page.press('#query', 'Enter')
      await page.locator('h1').waitFor()
      const count = Number(await page.textContent('tbody tr:first-child .sum'))
      await page.click('tbody tr:first-child .sum a')
      t.equal(await page.locator('tbody tr').count(), count)
    })
    await step('opens', async () => {
      await page.click('tbody tr:first-child .key a')
      await page.click('.rail a:has(bdi:text-is("order_details"))')
      await page.goBack()
    })
    const item = new URL(page.url()).pathname
    await step('edits, while another does', async () => {
      await page.click('.acts a:text-is("Edit")')
      await app.inject({ method: 'PATCH', url: item, payload: { ship_city: 'Bonn', freight: 1 } })
      await page.fill('#field-ship_city', 'Ulm')
      await page.fill('#field-ship_name', 'Ada')
      await page.click('button:text-is("Save")')
      await page.locator('.merge').first().waitFor()
      t.match(await page.textContent('.stack'), 'Bonn')
    })
    await step('merges', async () => {
      await page.check('[name="_keep.ship_city"][value=theirs]')
      await page.click('button:text-is("Save")')
      t.match(await page.textContent('[role=status]'), 'saved')
      t.match((await app.inject(item)).json(), { ship_city: 'Bonn', ship_name: 'Ada', freight: 1 })
    })
    await step('may not delete what others refer to', async () => {
      await page.click('.acts a:text-is("Delete")')
      t.equal(await page.locator('.stop').count(), 0)
      t.match(await page.textContent('.save'), 'Not to be deleted, because of its order_details.')
    })
    await step('deletes', async () => {
      await page.click('.save a:has(bdi:text-is("order_details"))')
      await page.click('tbody tr:first-child .key a')
      await page.click('.acts a:text-is("Delete")')
      await page.click('.stop')
      t.match(await page.textContent('[role=status]'), 'deleted')
    })
    t.strictSame(faults, [])
    await context.close()
    await close()
  })
}
