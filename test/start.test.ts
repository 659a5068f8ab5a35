import { readFileSync } from 'node:fs'
import { test } from 'tap'

/** Returns the packages that a module loads with itself, through its own imports of values. */
function packagesOf (file: URL, seen = new Set<string>()): readonly string[] {
  if (seen.has(file.href)) return []
  seen.add(file.href)
  const source = readFileSync(file, 'utf8')
  const statements = source.matchAll(/^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm)
  return [...statements].flatMap(([, name = '']) =>
    name.startsWith('.') ? packagesOf(new URL(name, file), seen) : name.startsWith('node:') ? [] : [name])
}

test('importing the package loads no Kysely, Ajv, TypeBox or driver: each is loaded at its first use', async t => {
  const packages = new Set(packagesOf(new URL('../lib/index.ts', import.meta.url)))
  t.strictSame([...packages].sort(),
    ['fastest-levenshtein', 'fastify-plugin', 'negotiator', 'toad-cache'].filter(name => packages.has(name)))
  t.ok(packages.has('fastify-plugin'), 'the imports are found')
})

test('importing the package does not load the conformance suite', async t => {
  const seen = new Set<string>()
  packagesOf(new URL('../lib/index.ts', import.meta.url), seen)
  t.strictSame([...seen].filter(one => one.includes('/conformance/')), [])
})

test('importing the package does not load the code that serves requests: the registration loads it', async t => {
  const seen = new Set<string>()
  packagesOf(new URL('../lib/index.ts', import.meta.url), seen)
  t.strictSame(
    [...seen].filter(one => /\/lib\/(?:register|routes|replies|hooks|answer|run\/.*|rules\/.*)\.ts$/.test(one)), []
  )
})
