import axe from 'axe-core'
import t, { test } from 'tap'
import { launchChromium } from '../helpers/chromium.ts'
import { serve } from '../helpers/explorer-forms.ts'

// docs/explorer.md: With JavaScript. A CSV is dropped on a listing, or chosen, in a browser.

const launched = await launchChromium()
const skip = 'reason' in launched ? launched.reason : false
t.teardown(async () => { if ('browser' in launched) await launched.browser.close() })

async function open (dryRun: boolean) {
  if ('reason' in launched) throw new Error(launched.reason)
  const served = await serve({ imports: {} }, { setters: {}, requestStrategies: { dryRun } })
  const base = await served.app.listen({ port: 0, host: '127.0.0.1' })
  const context = await launched.browser.newContext({ bypassCSP: true })
  const page = await context.newPage()
  const drop = (csv: string) => page.evaluate(`{
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(csv)}], 'artists.csv', { type: 'text/csv' }))
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }
  }`)
  return { ...served, base, page, drop, close: () => context.close() }
}

test('a CSV that is dropped on a listing is checked, and imported by a button', { skip }, async t => {
  const { app, base, page, drop, json, close } = await open(true)
  await page.goto(`${base}/api/artists`)
  await drop('name,founded\nNeu!,soon\n')
  await page.waitForSelector('[role=alert]')
  t.match(await page.locator('table').textContent(), /2\s*Neu!,soon\s*founded\s*must be an integer/)
  t.equal((await json('/api/artists')).length, 2)
  await page.goto(`${base}/api/artists`)
  await drop('name,founded\nNeu!,1971\nFaust,\n')
  await page.waitForSelector('[role=status]')
  t.match(await page.textContent('[role=status]'), '2 items can be imported.')
  t.equal((await json('/api/artists')).length, 2)
  await page.click('main button:text-is("Import")')
  t.match(await page.textContent('[role=status]'), '2 items were created.')
  t.match(await json('/api/artists?id>2'), [{ name: 'Neu!', founded: 1971 }, { name: 'Faust', founded: null }])
  await close()
  await app.close()
})

test('a file is chosen for the form, which no rule of axe finds fault with', { skip }, async t => {
  const { app, base, page, drop, json, close } = await open(false)
  await page.goto(`${base}/api/artists`)
  await drop('name\nFaust\n')
  t.match(page.url(), /artists$/, 'nothing can be tried')
  await page.click('a:text-is("Import")')
  const buffer = Buffer.from('name\nCluster\n')
  await page.setInputFiles('input[type=file]', { name: 'artists.csv', mimeType: 'text/csv', buffer })
  await page.waitForFunction('document.querySelector("#csv").value !== ""')
  t.equal(await page.inputValue('#csv'), 'name\nCluster\n')
  await page.evaluate(axe.source)
  t.strictSame(await page.evaluate('axe.run().then(({ violations }) => violations.map(one => one.id))'), [])
  await drop('name\nHarmonia\n')
  await page.waitForFunction('document.querySelector("#csv").value.includes("Harmonia")')
  await page.click('main button:text-is("Import")')
  t.match(await json('/api/artists?id>2'), [{ name: 'Harmonia' }])
  await close()
  await app.close()
})
