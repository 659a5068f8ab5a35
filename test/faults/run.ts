import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deferredConstraints } from './deferred.ts'
import { expiredKeys } from './expired-keys.ts'
import { failover } from './failover.ts'
import { importFaults } from './imports.ts'
import { type Experiment, healingTable, isRight, type Outcome, struckTable } from './outcome.ts'
import { postgresChaos } from './postgres-chaos.ts'
import { postgresConnections } from './postgres-connections.ts'
import { postgresFrames } from './postgres-frames.ts'
import { postgresKills } from './postgres-kills.ts'
import { postgresLeavers } from './postgres-leavers.ts'
import { postgresSerializable } from './postgres-serializable.ts'
import { makeRandom } from './random.ts'
import { sqliteFullDisk } from './sqlite-full-disk.ts'
import { sqliteKill } from './sqlite-kill.ts'

// npm run test:faults [-- --quick] [--seed 7] [--kills 1000] [an experiment's name ...]

const experiments: Readonly<Record<string, Experiment>> = {
  'sqlite-kill': sqliteKill,
  'sqlite-full-disk': sqliteFullDisk,
  'postgres-kills': postgresKills,
  'postgres-frames': postgresFrames,
  'postgres-chaos': postgresChaos,
  'postgres-serializable': postgresSerializable,
  'deferred-constraints': deferredConstraints,
  'postgres-connections': postgresConnections,
  'postgres-leavers': postgresLeavers,
  'expired-keys': expiredKeys,
  imports: importFaults,
  failover
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, seed: { type: 'string' }, kills: { type: 'string' } }
})
const unknown = positionals.filter(name => !(name in experiments))
if (unknown.length > 0) {
  throw new Error(`There is no experiment ${unknown.join(', ')}; there are ${Object.keys(experiments).join(', ')}`)
}
// What passes in its short form passes everywhere.
const seed = Number(values.seed ?? (values.quick ? 1 : Math.floor(Math.random() * 2 ** 31)))
const folder = mkdtempSync(join(tmpdir(), 'data-api-faults-'))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { process.exit(130) })
process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })

/** Each experiment draws from the seed alone, so that it can be repeated by itself. */
async function runAll (): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [name, experiment] of Object.entries(experiments)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const began = performance.now()
    const own = join(folder, name)
    mkdirSync(own)
    const kills = values.kills === undefined ? undefined : Number(values.kills)
    const made = await experiment({ quick: values.quick, random: makeRandom(seed), folder: own, kills })
    rmSync(own, { recursive: true, force: true })
    outcomes.push(...made)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.error(`${name}: ${seconds} s, ${made.every(isRight) ? 'right' : 'WRONG'}`)
  }
  return outcomes
}

function describe ({ name, verdict, wrong = [], notes = [] }: Outcome): readonly string[] {
  const faults = [...verdict.faults].map(([fault, count]) => `${fault}: ${count}`)
  return [...faults, ...wrong.slice(0, 10), ...notes].map(text => `- ${name}: ${text}`)
}

console.log(`Seed: ${seed}\n`)
const outcomes = await runAll()
const parts = [struckTable(outcomes), healingTable(outcomes), outcomes.flatMap(describe).join('\n')]
console.log(parts.filter(part => part !== '').join('\n\n'))
process.exitCode = outcomes.every(isRight) ? 0 : 1
