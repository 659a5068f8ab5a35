import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { type Browser, chromium } from 'playwright-core'

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
