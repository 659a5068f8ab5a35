import t, { test } from 'tap'
import { openChromium } from '../helpers/chromium.ts'
import { hard, shop } from './samples.ts'

// Every page of the samples in a browser: at 390 and 1280 pixels, in light and in dark.

const { skip, open } = await openChromium(t)

for (const [name, make] of [['a shop', shop], ['a hard schema', hard]] as const) {
  test(`no page of ${name} is wider than its window, or violates a rule of axe`, { skip }, async t => {
    const { app, paths } = await make()
    const base = await app.listen({ port: 0 })
    for (const [width, colorScheme] of [[390, 'light'], [1280, 'dark']] as const) {
      const { page, violations, excess, close } = await open('about:blank', {
        bypassCSP: true, colorScheme, viewport: { width, height: 800 }
      })
      await page.route(url => !url.href.startsWith(base), route => route.abort())
      for (const path of paths) {
        await page.goto(base + path)
        t.ok(await excess() <= 0, `${path} at ${width}: ${await excess()} pixels too wide`)
        t.strictSame(await violations(), [], `${colorScheme} ${path}`)
      }
      await close()
    }
    await app.close()
  })
}
