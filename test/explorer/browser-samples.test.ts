import axe from 'axe-core'
import t, { test } from 'tap'
import { launchChromium } from '../helpers/chromium.ts'
import { hard, shop } from './samples.ts'

// Every page of the samples in a browser: at 390 and 1280 pixels, in light and in dark.

const launched = await launchChromium()
const skip = 'reason' in launched ? launched.reason : false
t.teardown(async () => { if ('browser' in launched) await launched.browser.close() })

for (const [name, make] of [['a shop', shop], ['a hard schema', hard]] as const) {
  test(`no page of ${name} is wider than its window, or violates a rule of axe`, { skip }, async t => {
    if ('reason' in launched) return
    const { app, paths } = await make()
    const base = await app.listen({ port: 0 })
    for (const [width, colorScheme] of [[390, 'light'], [1280, 'dark']] as const) {
      // The policy of the pages would refuse the script of axe.
      const context = await launched.browser.newContext({
        bypassCSP: true, colorScheme, viewport: { width, height: 800 }
      })
      const page = await context.newPage()
      await page.route(url => !url.href.startsWith(base), route => route.abort())
      for (const path of paths) {
        await page.goto(base + path)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        t.ok(wide <= 0, `${path} at ${width}: ${wide} pixels too wide`)
        await page.evaluate(axe.source)
        const found = await page.evaluate<Array<{ id: string, nodes: string[] }>>(`axe.run().then(({ violations }) =>
          violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 200)).slice(0, 2) })))`)
        t.strictSame(found, [], `${colorScheme} ${path}`)
      }
      await context.close()
    }
    await app.close()
  })
}
