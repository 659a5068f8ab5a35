import { appendFileSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Api, firstLines, startApi } from './api.ts'
import { judge } from './judge.ts'
import { type Kind, isAcknowledged, makeWriter, startLoad, type Writer } from './load.ts'
import { type Effort, healedIn, type Outcome } from './outcome.ts'
import { apiName, inspectPostgres, startPostgres } from './postgres.ts'
import { untilHealed } from './postgres-kills.ts'
import type { Setting } from './server.ts'
import { makeSmall } from './small-disk.ts'
import { inspect, installedDrivers } from './sqlite.ts'
import { type Mark, sqliteScript } from './world.ts'

// Imports that are too long for the memory, so that their bodies stand in temporary files, while the folder for these
// has no room or is not there, and while the process is killed.

const supply = 500
// More than a mebibyte, and several slices.
const size = { items: 2500, padding: 450 }
const load = { clients: 4, of: ['import', 'import', 'import', 'single create'] satisfies readonly Kind[] }

/** A database that imports go to. */
interface Store {
  readonly name: string
  readonly setting: Setting
  marks (): Promise<readonly Mark[]>
  close (): Promise<void>
}

/** Strikes imports on SQLite and on PostgreSQL. */
export async function importFaults (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const open of [openSqlite, openPostgres]) {
    for (const strike of [killOften, fillUp, takeFolder]) {
      const store = await open(effort, `${strike.name}-${outcomes.length}`)
      const outcome = await strike(effort, store)
      await store.close()
      if (outcome !== undefined) outcomes.push(outcome)
    }
  }
  return outcomes
}

async function openSqlite ({ folder }: Effort, name: string): Promise<Store> {
  const [driver] = installedDrivers()
  if (driver === undefined) throw new Error('no driver of SQLite is installed')
  const [file, log] = [join(folder, `${name}.db`), join(folder, `${name}.log`)]
  const setting = { kind: 'sqlite', driver, file, log } as const
  await (await startApi({ ...setting, script: sqliteScript(supply) })).stop()
  return { name: 'SQLite', setting, marks: async () => inspect(file, driver).marks, async close () {} }
}

async function openPostgres ({ folder }: Effort, name: string): Promise<Store> {
  const server = await startPostgres(supply)
  const options = { connectionString: server.url, connectionTimeout: 1000, driver: { application_name: apiName } }
  return {
    name: 'PostgreSQL',
    setting: { kind: 'postgres', options, log: join(folder, `${name}.log`) },
    marks: async () => (await inspectPostgres(server.url)).marks,
    close: () => server.close()
  }
}

/** Kills the process while imports arrive and are written. What it leaves in the folder must be gone after a start. */
async function killOften (effort: Effort, store: Store): Promise<Outcome> {
  const { random, quick, folder } = effort
  const temporary = join(folder, `killed-${store.name}`)
  mkdirSync(temporary)
  let api = await startApi(store.setting, { temporary })
  const writer = makeWriter({ port: () => api.port, random, supply, ...size })
  const kills = quick ? 2 : 40
  const [heals, wrong]: [number[], string[]] = [[], []]
  let named = 0
  for (let struck = 0; struck < kills; struck++) {
    const begun = startLoad(writer, { random, ...load })
    await setTimeout(random.between(100, 500))
    if (api.hasEnded()) wrong.push('a process ended by itself')
    await Promise.all([api.kill(), begun.stop()])
    if (readdirSync(temporary).length > 0) named++
    const over = performance.now()
    api = await startApi(store.setting, { temporary })
    wrong.push(...filesIn(temporary))
    await writer.write('import')
    heals.push(healedIn(writer.writes, over))
  }
  // A file has a name for a moment alone.
  if (named > kills / 2) wrong.push(`a temporary file had its name after ${named} of ${kills} kills`)
  return finish(store, api, writer, { name: `process killed in imports, ${store.name}`, struck: kills, heals, wrong })
}

/** A folder for temporary files that fails while it is struck. */
interface Folder {
  readonly name: string
  readonly temporary: string
  readonly allowed: readonly string[]
  strike (): void
  mend (): void
}

async function fillUp (effort: Effort, store: Store): Promise<Outcome | undefined> {
  const folder = join(effort.folder, `full-${store.name}`)
  mkdirSync(folder)
  const disk = await makeSmall(folder, '16m')
  if (disk === undefined) {
    console.error('imports: no file system can be mounted here, by mount or unshare; \'no room\' is left out')
    return undefined
  }
  const ballast = join(disk.folder, 'ballast')
  const outcome = await strikeFolder(effort, store, {
    name: 'no room for imports',
    temporary: disk.folder,
    allowed: [],
    strike () { fill(ballast) },
    mend () { rmSync(ballast) }
  })
  disk.remove()
  return outcome
}

/** Makes a file grow until there is no room left. */
function fill (file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(2 ** 16))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

function takeFolder (effort: Effort, store: Store): Promise<Outcome> {
  const temporary = join(effort.folder, `taken-${store.name}`)
  mkdirSync(temporary)
  return strikeFolder(effort, store, {
    name: 'no folder for imports',
    temporary,
    // Somebody must mend it.
    allowed: ['500 internal'],
    // Throws if there is a file in it.
    strike () { rmdirSync(temporary) },
    mend () { mkdirSync(temporary) }
  })
}

async function strikeFolder (
  { random, quick }: Effort, store: Store, { name, temporary, allowed, strike, mend }: Folder
): Promise<Outcome> {
  const api = await startApi(store.setting, { temporary })
  const writer = makeWriter({ port: () => api.port, random, supply, ...size })
  const refused = () => writer.writes.filter(write => !isAcknowledged(write))
  const heals: number[] = []
  for (let round = 0; round < (quick ? 1 : 20); round++) {
    await writer.write('import')
    strike()
    const [before, end] = [refused().length, performance.now() + 20_000]
    const begun = startLoad(writer, { random, ...load })
    while (refused().length < before + 10 && performance.now() < end) await setTimeout(1)
    mend()
    heals.push(await untilHealed(writer, performance.now()))
    await begun.stop()
  }
  const wrong = filesIn(temporary)
  if (refused().some(({ kind }) => kind !== 'import')) wrong.push('other writes were refused as well')
  const seen = { name: `${name}, ${store.name}`, struck: refused().length, heals, wrong, allowed }
  if (seen.struck === 0) wrong.push('no import was refused')
  return finish(store, api, writer, seen)
}

const filesIn = (folder: string): string[] => readdirSync(folder).map(name => `the file ${name} is left`)

type Seen = Pick<Outcome, 'name' | 'struck' | 'heals' | 'allowed'> & { readonly wrong: readonly string[] }

async function finish (store: Store, api: Api, writer: Writer, { wrong, ...seen }: Seen): Promise<Outcome> {
  const ended = api.hasEnded() ? ['the process ended by itself'] : []
  const verdict = judge(writer.writes, await store.marks())
  await api.stop()
  return { ...seen, verdict, log: firstLines(store.setting.log), wrong: [...wrong, ...ended] }
}
