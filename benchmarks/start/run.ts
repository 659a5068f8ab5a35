import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatNumber, formatTable } from '../table.ts'
import { hasRivals } from '../servers/rivals.ts'
import { medianOf } from '../statistics.ts'
import { times } from '../world.ts'

// Measures the start of a process: `npm run bench:start`. Each figure is of processes of their own, which alternate.
// The package is measured as it is published.

const rounds = process.argv.includes('--quick') ? 3 : 15
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What a process serves, by its name in the table: the first arguments of subject.ts. */
const subjects = {
  'Fastify alone, 10 routes': ['fastify', '10'],
  'Express with drizzle on better-sqlite3, 10 tables': ['express', '10'],
  'the plugin on memory(), 10 collections': ['memory', '10'],
  'the plugin on sqlite(), 10 collections': ['sqlite', '10'],
  'the plugin on memory(), 1,000 collections': ['memory', '1000'],
  'the plugin on sqlite(), 1,000 collections': ['sqlite', '1000']
} as const

/**
 * The CPU time of the steps of a start: importing, opening the server, and the first answer; the time of all, in
 * milliseconds; the megabytes of its objects.
 */
interface Cost {
  readonly loading: number
  readonly opening: number
  readonly first: number
  readonly time: number
  readonly heap: number
}

const folder = stage()
try {
  const entered = Object.entries(subjects).filter(([, [kind]]) => kind !== 'express' || hasRivals())
  const costs = times(rounds, () => entered.map(([, given]) => measure(folder, given)))
  const rows = entered.map(([name], index) => {
    const figures = (kind: keyof Cost) => formatNumber(medianOf(costs.map(round => round[index]?.[kind] ?? 0)))
    return [name, figures('loading'), figures('opening'), figures('first'), figures('time'), figures('heap')]
  })
  console.log(`Node.js ${process.version}, medians of ${rounds} processes for each line, which alternate.\n`)
  console.log(formatTable(
    ['', 'import, CPU ms', 'registration, CPU ms', 'first answer, CPU ms', 'all, time ms', 'heap MB'], rows
  ))
} finally {
  rmSync(folder, { recursive: true })
}

function measure (published: string, given: readonly ['express' | 'fastify' | 'memory' | 'sqlite', string]): Cost {
  const program = fileURLToPath(new URL('subject.js', import.meta.url))
  const path = given[0] === 'express' ? join(root, 'benchmarks/rivals/start.mjs') : join(published, 'dist/lib/index.js')
  const args = [program, ...given, pathToFileURL(path).href]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Cost
}

/** Makes the published code of what was built, in a folder where it finds its dependencies. */
function stage (): string {
  mkdirSync(join(root, '.tap'), { recursive: true })
  const made = mkdtempSync(join(root, '.tap', 'package-'))
  for (const name of ['dist/lib', 'dist/schemas', 'package.json']) {
    cpSync(join(root, name), join(made, name), { recursive: true })
  }
  execFileSync(process.execPath, ['.github/package.mjs', made], { cwd: root })
  return made
}
