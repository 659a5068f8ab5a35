import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { firstLines, type Loaded, makeSpare } from './api.ts'
import { judge } from './judge.ts'
import { makeWriter, startLoad, type Write } from './load.ts'
import { type Effort, healedIn, merge, type Outcome } from './outcome.ts'
import type { Setting } from './server.ts'
import { type DriverName, inspect, installedDrivers } from './sqlite.ts'
import { sqliteScript } from './world.ts'

// The process is killed while clients write, and sometimes while it opens the database. After each kill another process
// opens the same file; then every write of all rounds is looked for, and the file itself is checked.

const supply = 20_000
// What is looked through after each kill grows with the file.
const killsPerFile = 100

/** Kills the process on SQLite: 1,000 times, or as often as is said. */
export async function sqliteKill (effort: Effort): Promise<readonly Outcome[]> {
  const drivers = installedDrivers()
  const kills = Math.ceil((effort.kills ?? (effort.quick ? 8 : 1000)) / drivers.length)
  const outcomes: Outcome[] = []
  for (const driver of drivers) {
    for (let left = kills; left > 0; left -= killsPerFile) {
      outcomes.push(await killOften(effort, driver, Math.min(left, killsPerFile)))
    }
  }
  return [merge('process killed, SQLite', outcomes)]
}

let files = 0

async function killOften ({ random, folder }: Effort, driver: DriverName, kills: number): Promise<Outcome> {
  const file = join(folder, `killed-${++files}.db`)
  const setting: Setting = { kind: 'sqlite', log: `${file}.log`, file, driver }
  const spare = makeSpare()
  let api = await (await spare.take()).serve({ ...setting, script: sqliteScript(supply) })
  const writer = makeWriter({ port: () => api.port, random, supply })
  const heals: number[] = []
  const wrong: string[] = []
  for (let struck = 0; struck < kills; struck++) {
    const load = startLoad(writer, { random, clients: 6 })
    await untilWritten(writer.writes, random.between(1, 25))
    await setTimeout(random.between(0, 10))
    if (api.hasEnded()) wrong.push('a process ended by itself')
    await Promise.all([api.kill(), load.stop()])
    if (random.chance(0.05) && struck < kills - 1) {
      struck++
      await killOpening(await spare.take(), setting, random.between(0, 40))
    }
    const over = performance.now()
    api = await (await spare.take()).serve(setting)
    await writer.write('single create')
    heals.push(healedIn(writer.writes, over))
    wrong.push(...faultsIn(file, driver, writer.writes).map(fault => `after kill ${struck + 1}: ${fault}`))
  }
  await api.kill()
  await spare.close()
  const verdict = judge(writer.writes, inspect(file, driver).marks)
  return { name: driver, struck: kills, verdict, log: firstLines(setting.log), heals, wrong }
}

/** Waits for so many more answers, however slow the machine is. */
async function untilWritten (writes: readonly Write[], more: number): Promise<void> {
  const [before, end] = [writes.length, performance.now() + 10_000]
  while (writes.length < before + more && performance.now() < end) await setTimeout(1)
}

/** Kills a process at some moment while it opens the database. */
async function killOpening (loaded: Loaded, setting: Setting, delay: number): Promise<void> {
  const opening = loaded.serve(setting).catch(() => {})
  await setTimeout(delay)
  await loaded.kill()
  await opening
}

function faultsIn (file: string, driver: DriverName, writes: readonly Write[]): readonly string[] {
  const { marks, drift, damage } = inspect(file, driver)
  const { lost, half, twice, faults } = judge(writes, marks)
  return [
    ...lost + half + twice > 0 ? [...faults.keys()] : [],
    ...drift === 0 ? [] : [`counters are off by ${drift}`],
    ...damage
  ]
}
