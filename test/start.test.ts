import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'tap'

const stripTypes = new URL('helpers/strip-types.mjs', import.meta.url).href
const trace = `
  import { writeSync } from 'node:fs'
  export const load = (url, context, nextLoad) => {
    writeSync(1, url + '\\n')
    return nextLoad(url, context)
  }`
const program = `
  import { createRequire, register } from 'node:module'
  register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(trace)}`)})
  await import(${JSON.stringify(new URL('../lib/index.ts', import.meta.url).href)})
  console.log(Object.keys(createRequire(import.meta.url).cache).join('\\n'))`
const args = ['--import', stripTypes, '--input-type=module', '--eval', program]
const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: new URL('.', import.meta.url) })
/** The modules that a process has loaded which imports the package: those of ECMAScript, then those of CommonJS. */
const modules = stdout.trim().split('\n')

// An application loads TypeBox itself, for its schemas.
test('importing the package loads no Kysely, Ajv or driver: each is loaded at its first use', async t => {
  const names = modules.map(module => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1])
  // What strips the types of this process, or comes with tap, is no part of the package; content-type is negotiator's.
  const others = [undefined, 'ts-blank-space', 'typescript', 'fromentries', 'pirates', 'process-on-spawn']
  t.strictSame([...new Set(names)].filter(name => !others.includes(name)).sort(),
    ['@sinclair/typebox', 'content-type', 'fastest-levenshtein', 'fastify-plugin', 'negotiator', 'toad-cache'])
})

test('importing the package does not load the conformance suite', async t => {
  t.strictSame(modules.filter(module => module.includes('/lib/tools/')), [])
})

test('importing the package does not load the code that serves requests: the registration loads it', async t => {
  t.ok(modules.some(module => module.endsWith('/lib/index.ts')))
  const serving = /\/lib\/(?:plugin\/routes|core\/(?:api\/answer|run\/.*|rules\/.*))\.ts$/
  t.strictSame(modules.filter(module => serving.test(module)), [])
})

const root = new URL('../', import.meta.url)

test('npm start serves the example from its sources, without a build, and says first what it does', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'solar-system-'))
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  symlinkSync(fileURLToPath(new URL('examples/solar-system/data', root)), join(folder, 'data'))
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Manifest
  const [command = '', ...words] = scripts.start.split(' ')
  t.equal(command, 'node')
  const child = spawn(process.execPath, [...words, folder], {
    cwd: root, env: { ...process.env, NODE_OPTIONS: '', PORT: '0' }
  })
  let output = ''
  const urls = new Promise<string>(resolve => {
    child.stdout.on('data', chunk => {
      output += String(chunk)
      const [, url] = / is served at (\S+)\. Ctrl-C stops it\.\n/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const url = await Promise.race([urls, once(child, 'exit').then(() => output)])
  const [first] = output.split('\n')
  t.equal(first, 'Loading the sources, without checking their types …')
  t.match(await (await fetch(`${url}/planets/jupiter`)).json(), { name: 'Jupiter' })
  const ended = once(child, 'close')
  child.kill('SIGINT')
  await ended
})

interface Manifest { readonly scripts: { readonly start: string } }

test('an example run from its sources imports those of the package, not a build of them', async t => {
  const entries = ['fastify-data-api', 'fastify-data-api/client']
  const script = `console.log(${JSON.stringify(entries)}.map(import.meta.resolve).join(' '))`
  const given = ['--import=./examples/from-source.mjs', '--input-type=module', '--eval', script]
  const { stdout: told } = await promisify(execFile)(process.execPath, given, { cwd: root })
  const loaded = ['lib/index.ts', 'lib/clients/client/index.ts'].map(path => root.href + path)
  t.strictSame(told.trim().split(/\s+/).slice(-2), loaded)
})
