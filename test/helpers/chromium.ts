import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import type { Test } from 'tap'

/** A browser, or the reason why there is none. */
export type Launched = { readonly browser: Browser } | { readonly reason: string }

/** Launches the Chromium that `npm ci` installs, or that of CHROME_PATH. */
export async function launchChromium (): Promise<Launched> {
  const own = process.env['CHROME_PATH']
  if (own === undefined && (platform() !== 'linux' || arch() !== 'x64')) {
    return { reason: 'the Chromium of the tests runs on Linux x64 only; CHROME_PATH names another' }
  }
  if (own !== undefined && !existsSync(own)) return { reason: `there is no browser at CHROME_PATH, ${own}` }
  const executablePath = own ?? await unpack()
  const args = ['--no-sandbox', '--disable-gpu', '--no-zygote']
  const fonts = own === undefined ? { FONTCONFIG_PATH: folder } : {}
  return { browser: await chromium.launch({ executablePath, args, env: { ...process.env, ...fonts } }) }
}

/** Launches a browser for the tests of a file. `skip`: why they are left out; `open`: opens a page of its own. */
export async function openChromium (t: Pick<Test, 'teardown'>) {
  const launched = await launchChromium()
  t.teardown(async () => { if ('browser' in launched) await launched.browser.close() })
  return {
    skip: 'reason' in launched ? launched.reason : false,
    async open (url: string, options: BrowserContextOptions = {}) {
      if ('reason' in launched) throw new Error(launched.reason)
      const context = await launched.browser.newContext(options)
      const page = await context.newPage()
      const faults: unknown[] = []
      page.on('pageerror', error => faults.push(error))
      page.on('console', message => {
        // Chromium notes the status of every page that is an error.
        const isStatus = message.location().url === page.url() && message.text().includes('Failed to load resource')
        if (message.type() === 'error' && !isStatus) faults.push(message.text())
      })
      await page.goto(url)
      return {
        page,
        faults,
        /** Returns the rules of axe that the page violates. The policy of pages refuses its script: `bypassCSP`. */
        async violations (): Promise<unknown> {
          await page.evaluate(axe.source)
          return page.evaluate('axe.run().then(({ violations }) => violations.map(one => one.id + one.nodes[0].html))')
        },
        /** Returns by how many pixels the page is wider than its window. */
        excess: () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
        close: () => context.close()
      }
    }
  }
}

// The package unpacks into the temporary folder, where a browser of another version may lie.
const folder = new URL('../../node_modules/.cache/chromium-147', import.meta.url).pathname

async function unpack (): Promise<string> {
  mkdirSync(folder, { recursive: true })
  // The package's own file names folders that are not there, and without fonts this Chromium dies at the first input.
  writeFileSync(`${folder}/fonts.conf`, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`)
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = folder
  // Makes the package unpack the system libraries that it needs, such as libnss3.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    return await packaged.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  }
}
