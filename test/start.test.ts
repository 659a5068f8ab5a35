import { execFile } from 'node:child_process'
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
  t.strictSame(modules.filter(module => module.includes('/lib/conformance/')), [])
})

test('importing the package does not load the code that serves requests: the registration loads it', async t => {
  t.ok(modules.some(module => module.endsWith('/lib/index.ts')))
  const serving = /\/lib\/(?:register|routes|replies|hooks|answer|run\/.*|rules\/.*)\.ts$/
  t.strictSame(modules.filter(module => serving.test(module)), [])
})
