import { createHook } from 'node:async_hooks'
import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { beforeEach, t as all, type Test, test, type TestBase } from 'tap'
import { noteCosts } from './costs.mjs'
import { cpuSeconds } from './cpu-seconds.mjs'

const root = new URL('../../', import.meta.url)

/**
 * The processes that share out the files of tests, each with the beginnings of the paths that are its own: the longest
 * beginning of a path decides, so that a new file joins by itself. An entry of test/groups starts each.
 */
const groups = {
  contract: ['contract/'],
  writing: ['contract/rules/', 'contract/writing/'],
  // Their heaps are large, which would slow down many small tests.
  generated: [
    'contract/non-interference', 'contract/one-law', 'contract/rules/hidden-names', 'contract/writing/laws.'
  ],
  sources: ['sources/'],
  postgres: ['sources/postgres'],
  doors: ['client/', 'command/', 'data/', 'explorer/', 'mcp/', 'openapi/'],
  others: [''],
  // What these replace in their process would be replaced for the others too.
  batching: ['batching.'],
  // `npm test` has none of the following: PGlite, what compiles programs or asks other tools, and what starts browsers
  // and processes.
  pglite: ['sources/pglite.'],
  compiled: [
    'client/one-language.', 'client/types.', 'command/design.', 'docs/blocks.', 'docs/own-code.', 'docs/reference.',
    'openapi/tools.'
  ],
  built: [
    'client/browser', 'contract/small-process.', 'desk/browser.', 'desk/faults.', 'explorer/browser', 'package.'
  ],
  // What waits for clocks, cuts connections, or asks many times.
  slow: [
    'client/board.', 'client/tanstack-db-live.', 'command/prove.', 'contract/imports-cut.', 'contract/live-processes.',
    'contract/lost-clients.', 'docs/getting-started.', 'docs/row-level-security.', 'explorer/live.', 'mcp/clients.',
    'openapi/large.', 'openapi/swagger.', 'prove/examples.', 'request/linear.', 'sources/pooler.',
    'sources/postgres-acknowledgements.', 'sources/postgres-faults.', 'sources/postgres-healing.',
    'sources/postgres-parallel.', 'sources/replicas.', 'sources/sqlite-long-reads.', 'sources/sqlite/full-disk.',
    'sources/two-callers.', 'start.'
  ],
  // What looks for mistakes: it sends many requests for each that is planted, and for each that it does not find.
  planted: ['contract/non-interference-leaks.', 'prove/', 'sources/conformance-faults.'],
  // It measures the heap.
  streams: ['contract/long-streams.']
} as const satisfies Record<string, readonly string[]>

/** A process of tests. */
export type Group = keyof typeof groups

/**
 * Runs the files of a group in this process, one after the other, so that lib is loaded and compiled once. Notes the
 * CPU seconds of each file for the reporter.
 */
export function runGroup (group: Group): void {
  // Most of the code runs a few times only: to optimize it costs more than it saves. Later releases lack the flag.
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=1000000')
  beforeEach(stopFollowing)
  runNext(group, filesOf(group), { [`start of ${group}`]: cpuSeconds() })
}

/**
 * Has tap not follow the promises of a test and of those that wait, which took a fourth of the CPU time. An error that
 * nobody awaits ends the process then, and so fails the run, where tap would have ended its test.
 */
function stopFollowing (test: Test): void {
  for (let one: TestBase | undefined = test; one !== undefined; one = one.parent) {
    for (const { hookDomain } of [one, ...one.subtests]) hookDomain.destroy()
  }
  all.hook.onDestroy?.()
  tracking.enable().disable()
}

// Node.js tells the end of each promise even after the last hook that asks for it, until another hook is enabled.
const tracking = createHook({ init () {} })

const filesOf = (group: Group): readonly string[] =>
  readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => path.endsWith('.test.ts') && groupOf(path) === group)
    .sort()

function groupOf (path: string): string {
  const owners = Object.entries(groups).flatMap(([group, starts]) => starts.map(start => ({ group, start })))
    .filter(({ start }) => path.startsWith(start))
  return owners.reduce((longest, owner) => owner.start.length > longest.start.length ? owner : longest).group
}

/**
 * Loads a file in a test. The tests that the file defines follow, and then the test that notes what they cost and loads
 * the next file: tap ends a run that has no test left.
 */
function runNext (group: Group, [file, ...rest]: readonly string[], costs: Costs): void {
  if (file === undefined) return
  test(`${file} is loaded`, async t => {
    const start = cpuSeconds()
    await t.resolves(import(new URL(`test/${file}`, root).href))
    test(`${file} has ended`, async t => {
      t.pass()
      const all = { ...costs, [file]: cpuSeconds() - start }
      noteCosts(group, all)
      runNext(group, rest, all)
    })
  })
}

type Costs = Readonly<Record<string, number>>
