import t, { test } from 'tap'
import { openChromium } from '../helpers/chromium.ts'
import { serve } from '../helpers/explorer-forms.ts'

// docs/explorer.md: Forms, With JavaScript. Rows are changed and deleted together, and a CSV is dropped or chosen.

const { skip, open } = await openChromium(t)

async function openServed (given: Parameters<typeof serve>, options: object = {}) {
  const served = await serve(...given)
  const base = await served.app.listen({ port: 0, host: '127.0.0.1' })
  const opened = await open(`${base}/api/artists?sort=id`, options)
  const { page } = opened
  return {
    ...served,
    ...opened,
    async select (verb: string) {
      await page.goto(`${base}/api/artists?sort=id`)
      for (const at of [0, 1]) await page.locator('tbody [name=_row]').nth(at).check()
      await page.click(`#rows button:text-is("${verb}")`)
    },
    drop: (csv: string) => page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(csv)}], 'artists.csv', { type: 'text/csv' }))
      for (const type of ['dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
      }
    }`),
    async close () {
      await opened.close()
      await served.app.close()
    }
  }
}

const bulk = [{ idempotency: {} }, { requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] } }] as const

test('selected rows are changed and deleted without JavaScript, also on a small window', { skip }, async t => {
  const { page, select, excess, json, close } = await openServed([...bulk], {
    javaScriptEnabled: false, viewport: { width: 390, height: 800 }
  })
  await select('Edit')
  await page.fill('#field-notes', 'both')
  await page.click('button:text("Change 2 items")')
  t.match(await page.textContent('.fault'), 'not checked')
  t.ok(await excess() <= 0)
  await page.click('button:text("Change 2 items")')
  t.equal(await page.textContent('[role=status]'), '2 items were saved.')
  t.equal(await page.locator('tbody tr').count(), 2)
  await page.goBack()
  await page.click('button:text("Change 2 items")')
  t.equal(await page.textContent('[role=status]'), '2 items were saved.', 'sent twice, done once')
  t.match(await json('/api/artists?fields=notes'), [{ notes: 'both' }, { notes: 'both' }])
  await select('Delete')
  await page.click('button:text("Delete 2 items")')
  t.equal(await page.textContent('[role=status]'), '2 items were deleted.')
  t.strictSame(await json('/api/artists'), [])
  await close()
})

test('with JavaScript what is typed into the form of many items is chosen', { skip }, async t => {
  const { page, faults, select, json, close } = await openServed([...bulk])
  await select('Edit')
  await page.fill('#field-founded', '1971')
  await page.check('#field-active [value=true]')
  await page.focus('#field-founded')
  await page.keyboard.press('Enter')
  await page.waitForURL(/_done=2\+saved$/)
  t.match(await json('/api/artists'), [{ founded: 1971, active: true }, { founded: 1971, active: true }])
  t.strictSame(faults, [])
  await close()
})

const importing = (dryRun: boolean) => [{ imports: {} }, { setters: {}, requestStrategies: { dryRun } }] as const

test('a CSV that is dropped on a listing is checked, and imported by a button', { skip }, async t => {
  const { page, drop, json, close } = await openServed([...importing(true)])
  const listing = page.url()
  await drop('name,founded\nNeu!,soon\n')
  await page.waitForSelector('[role=alert]')
  t.match(await page.locator('table').textContent(), /2\s*Neu!,soon\s*founded\s*must be an integer/)
  await page.goto(listing)
  await drop('name,founded\nNeu!,1971\nFaust,\n')
  await page.waitForSelector('[role=status]')
  t.match(await page.textContent('[role=status]'), '2 items can be imported.')
  t.equal((await json('/api/artists')).length, 2)
  await page.click('main button:text-is("Import")')
  t.match(await page.textContent('[role=status]'), '2 items were created.')
  t.match(await json('/api/artists?id>2'), [{ name: 'Neu!', founded: 1971 }, { name: 'Faust', founded: null }])
  await close()
})

test('a file is chosen for the form of an import, or dropped on it', { skip }, async t => {
  const { page, drop, json, close } = await openServed([...importing(false)], { bypassCSP: true })
  await drop('name\nFaust\n')
  t.match(page.url(), /artists\?sort=id$/, 'nothing can be tried')
  await page.click('a:text-is("Import")')
  const buffer = Buffer.from('name\nCluster\n')
  await page.setInputFiles('input[type=file]', { name: 'artists.csv', mimeType: 'text/csv', buffer })
  await page.waitForFunction('document.querySelector("#csv").value !== ""')
  t.equal(await page.inputValue('#csv'), 'name\nCluster\n')
  await drop('name\nHarmonia\n')
  await page.waitForFunction('document.querySelector("#csv").value.includes("Harmonia")')
  await page.click('main button:text-is("Import")')
  t.match(await json('/api/artists?id>2'), [{ name: 'Harmonia' }])
  await close()
})
