import axe from 'axe-core'
import t, { test } from 'tap'
import { launchChromium } from '../helpers/chromium.ts'
import { serve } from '../helpers/explorer-forms.ts'

// docs/explorer.md: Forms. Rows are selected, changed and deleted together, in a browser.

const launched = await launchChromium()
const skip = 'reason' in launched ? launched.reason : false
t.teardown(async () => { if ('browser' in launched) await launched.browser.close() })

async function open (options: object) {
  if ('reason' in launched) throw new Error(launched.reason)
  const served = await serve({ idempotency: {} }, { requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] } })
  const base = await served.app.listen({ port: 0, host: '127.0.0.1' })
  const context = await launched.browser.newContext({ bypassCSP: true, ...options })
  const page = await context.newPage()
  const faults: unknown[] = []
  page.on('pageerror', error => faults.push(error))
  const select = async (verb: string) => {
    await page.goto(`${base}/api/artists?sort=id`)
    for (const at of [0, 1]) await page.locator('tbody [name=_row]').nth(at).check()
    await page.click(`#rows button:text-is("${verb}")`)
  }
  const violations = async (): Promise<unknown> => {
    await page.evaluate(axe.source)
    return page.evaluate('axe.run().then(({ violations }) => violations.map(one => one.id + one.nodes[0].html))')
  }
  const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  return { ...served, page, faults, select, violations, isTooWide, close: () => context.close() }
}

test('selected rows are changed and deleted without JavaScript, also on a small window', { skip }, async t => {
  const { app, page, select, isTooWide, close } = await open({
    javaScriptEnabled: false, viewport: { width: 390, height: 800 }
  })
  await select('Edit')
  await page.fill('#field-notes', 'both')
  await page.click('button:text("Change 2 items")')
  t.match(await page.textContent('.fault'), 'not checked')
  t.notOk(await isTooWide())
  await page.click('button:text("Change 2 items")')
  t.equal(await page.textContent('[role=status]'), '2 items were saved.')
  t.equal(await page.locator('tbody tr').count(), 2)
  await page.goBack()
  await page.click('button:text("Change 2 items")')
  t.equal(await page.textContent('[role=status]'), '2 items were saved.', 'sent twice, done once')
  t.match((await app.inject('/api/artists?fields=notes')).json(), [{ notes: 'both' }, { notes: 'both' }])
  await select('Delete')
  await page.click('button:text("Delete 2 items")')
  t.equal(await page.textContent('[role=status]'), '2 items were deleted.')
  t.strictSame((await app.inject('/api/artists')).json(), [])
  await close()
  await app.close()
})

test('with JavaScript what is typed is chosen; no page violates a rule of axe', { skip }, async t => {
  for (const [width, colorScheme] of [[390, 'dark'], [1280, 'light']] as const) {
    const { app, page, faults, select, violations, isTooWide, close } = await open({
      colorScheme, viewport: { width, height: 800 }
    })
    for (const verb of ['Delete', 'Edit']) {
      await select(verb)
      t.strictSame(await violations(), [], verb)
      t.notOk(await isTooWide())
    }
    await page.fill('#field-founded', '1971')
    await page.check('#field-active [value=true]')
    await page.focus('#field-founded')
    await page.keyboard.press('Enter')
    await page.waitForURL(/_done=2\+saved$/)
    t.match((await app.inject('/api/artists')).json(), [
      { founded: 1971, active: true }, { founded: 1971, active: true }
    ])
    t.strictSame(faults, [])
    await close()
    await app.close()
  }
})
