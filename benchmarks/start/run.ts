import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatNumber, formatTable } from '../table.ts'
import { spreadOf } from '../statistics.ts'
import { times } from '../world.ts'

// Measures the start of a process: `npm run bench:start`. Each figure is of processes of their own, which alternate.
// The package is measured as it is published.

const rounds = process.argv.includes('--quick') ? 3 : 15
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What a process does, by its name in the table: the arguments of subject.ts. */
const subjects = {
  'import fastify': ['fastify'],
  'import fastify and TypeBox': ['typebox'],
  'the same, and the package': ['package'],
  'the same, and 10 collections on memory(), with a first request': ['memory', '10'],
  'the same on sqlite()': ['sqlite', '10'],
  '1,000 collections on memory(), with a first request': ['memory', '1000'],
  '1,000 collections on sqlite(), with a first request': ['sqlite', '1000']
} as const

/**
 * The CPU time and the time of one process, in milliseconds, from the start of its own code, and the megabytes of its
 * objects.
 */
interface Cost { readonly cpu: number, readonly time: number, readonly heap: number }

const folder = stage()
try {
  const costs = times(rounds, () => Object.values(subjects).map(given => measure(folder, given)))
  const rows = Object.keys(subjects).map((name, index) => {
    const figures = (kind: keyof Cost) => spreadOf(costs.map(round => round[index]?.[kind] ?? 0))
    const cpu = figures('cpu')
    return [name, ...[cpu.median, cpu.least, figures('time').median, figures('heap').median].map(formatNumber)]
  })
  console.log(`Node.js ${process.version}, ${rounds} processes for each line.\n`)
  console.log(formatTable(['', 'CPU ms, median', 'least', 'time ms, median', 'heap MB'], rows))
} finally {
  rmSync(folder, { recursive: true })
}

function measure (published: string, given: readonly string[]): Cost {
  const program = fileURLToPath(new URL('subject.js', import.meta.url))
  const entry = pathToFileURL(join(published, 'dist/lib/index.js')).href
  return JSON.parse(execFileSync(process.execPath, [program, entry, ...given], { encoding: 'utf8' })) as Cost
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
