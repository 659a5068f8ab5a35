import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { start, stop } from '../helpers/postgres-server.mjs'
import { type Fault, faults } from './faults.ts'
import { currentCommit, noteFound } from './found.ts'

// npm run test:mutants [-- a part of a fault's name ...]: shows that the tests find faults (CONTRIBUTING.md: Faults in
// lib, on purpose). Each fault is put into a copy of the sources, and its tests run until one fails. What was found is
// noted in found.txt.

const root = new URL('../../', import.meta.url)
const copy = new URL('.tap/mutants/', root)
const withoutPostgres = process.env['WITHOUT_POSTGRES'] === '1'
// A fault may have a test run for ever.
const running = { encoding: 'utf8', maxBuffer: 2 ** 30, timeout: 600_000, killSignal: 'SIGKILL' } as const
const asked = process.argv.slice(2)
const chosen = faults.filter(({ what, postgres }) =>
  (asked.length === 0 || asked.some(part => what.includes(part))) && !(postgres && withoutPostgres))

// Others may commit while this runs.
const commit = currentCommit()
makeCopy()
const url = chosen.some(({ postgres }) => postgres === true) ? await start() : undefined
try {
  const places = chosen.map(fault => ({ fault, file: placeOf(fault) }))
  const runs = chosen.flatMap(({ tests, postgres }) =>
    tests.map(test => ({ key: keyOf(test, postgres), test, postgres })))
  const distinct = [...new Map(runs.map(run => [run.key, run])).values()]
  const spoilt = new Set(distinct.filter(({ test, postgres }) => failureOf(test, postgres)).map(({ key }) => key))
  for (const key of spoilt) console.log(`${key} fails without a fault, so it shows nothing`)
  const results = places.map(({ fault, file }) => ({ what: fault.what, by: finderOf(fault, file, spoilt) }))
  noteFound(commit, results)
  const missed = results.filter(({ by }) => by === undefined)
  console.log(`${results.length - missed.length} faults found, ${missed.length} missed`)
  process.exitCode = missed.length + spoilt.size === 0 ? 0 : 1
} finally {
  await stop()
}

function makeCopy (): void {
  rmSync(copy, { recursive: true, force: true })
  for (const part of ['lib', 'schemas', 'test', 'examples', 'docs', 'package.json', 'tsconfig.json', 'README.md']) {
    cpSync(new URL(part, root), new URL(part, copy), { recursive: true })
  }
  // What has been stripped of its types need not be so again.
  cpSync(new URL('.tap/stripped', root), new URL('.tap/stripped', copy), { recursive: true })
}

/** Returns the file that holds the text of a fault. Throws an Error unless lib holds it once. */
function placeOf ({ what, text }: Fault): URL {
  const files = readdirSync(new URL('lib/', copy), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => new URL(`lib/${file}`, copy))
  const places = files.flatMap(file => Array<URL>(readFileSync(file, 'utf8').split(text).length - 1).fill(file))
  const [place, ...others] = places
  if (place !== undefined && others.length === 0) return place
  throw new Error(`${what}: lib holds its text ${places.length} times: ${text}`)
}

/** Puts the fault into its file. Returns the file of tests that finds it; undefined where none does. */
function finderOf (
  { what, text, fault, tests, postgres }: Fault, file: URL, spoilt: ReadonlySet<string>
): string | undefined {
  const right = readFileSync(file, 'utf8')
  writeFileSync(file, right.replace(text, () => fault))
  try {
    const by = tests.filter(test => !spoilt.has(keyOf(test, postgres)))
      .find(test => printFailure(test, what, postgres))
    if (by === undefined) console.log(`MISSED  ${what}`)
    return by
  } finally {
    writeFileSync(file, right)
  }
}

function printFailure (test: string, what: string, postgres: boolean | undefined): boolean {
  const failure = failureOf(test, postgres)
  if (failure !== undefined) console.log(`found   ${what}\n        test/${test}.test.ts: ${failure}`)
  return failure !== undefined
}

/** The name of a run of a file, with PostgreSQL or without. */
function keyOf (test: string, postgres = false): string {
  return postgres ? `${test} on PostgreSQL` : test
}

/** Returns the name of the first test of a file that fails; undefined where none does. */
function failureOf (file: string, postgres = false): string | undefined {
  const loader = new URL('test/helpers/strip-types.mjs', copy).href
  const { status, stdout } = spawnSync(
    process.execPath, [`--import=${loader}`, fileURLToPath(new URL(`test/${file}.test.ts`, copy))],
    { ...running, cwd: copy, env: environment(postgres) }
  )
  if (status === 0) return undefined
  const until = stdout.slice(0, stdout.search(/^ *not ok /m))
  return [...until.matchAll(/^# Subtest: (.*)$/gm)].at(-1)?.[1] ?? `it ended with ${status}`
}

function environment (postgres: boolean): NodeJS.ProcessEnv {
  const { WITHOUT_POSTGRES: _, ...env } = process.env
  const server = url === undefined ? {} : { DATABASE_URL: url }
  return { ...env, TAP_BAIL: '1', TAP_TIMEOUT: '500', ...postgres ? server : { WITHOUT_POSTGRES: '1' } }
}
