import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { formatNumber, formatTable } from '../table.ts'
import { spreadOf } from '../statistics.ts'
import { times } from '../world.ts'

// Measures the start of a process: `npm run bench:start`. Each figure is of processes of their own, which alternate.

const rounds = process.argv.includes('--quick') ? 3 : 15

/** What a process does, by its name in the table: each imports one module, which runs to its end. */
const subjects = {
  'import fastify': 'fastify',
  'import fastify and the package': 'package',
  'the same, and TypeBox': 'typebox',
  'the same, and 12 collections on memory(), with a first request': 'memory',
  'the same on sqlite()': 'sqlite'
} as const

/** The CPU time and the time of one process, in milliseconds, from the start of its own code. */
interface Cost { readonly cpu: number, readonly time: number }

function measure (subject: string): Cost {
  const program = fileURLToPath(new URL('subject.js', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [program, subject], { encoding: 'utf8' })) as Cost
}

const costs = times(rounds, () => Object.values(subjects).map(measure))

const rows = Object.keys(subjects).map((name, index) => {
  const cpu = spreadOf(costs.map(round => round[index]?.cpu ?? 0))
  const time = spreadOf(costs.map(round => round[index]?.time ?? 0))
  return [name, ...[cpu.median, cpu.least, time.median].map(formatNumber)]
})

console.log(`Node.js ${process.version}, ${rounds} processes for each line.\n`)
console.log(formatTable(['', 'CPU ms, median', 'least', 'time ms, median'], rows))
