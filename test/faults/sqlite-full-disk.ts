import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Api, firstLines, startApi } from './api.ts'
import { judge } from './judge.ts'
import { everyKind, isAcknowledged, makeWriter, writeUntilAcknowledged } from './load.ts'
import { type Effort, healedIn, merge, type Outcome } from './outcome.ts'
import { mountSmall } from './small-disk.ts'
import { type DriverName, inspect, installedDrivers } from './sqlite.ts'
import { sqliteScript } from './world.ts'

// The disk is full in the middle of writes of each kind. There are three ways to be full: the database has all the
// pages that it may have, a file has the size that the process may write, and the file system has no room.

/** A disk that fills up. */
interface Disk {
  /** The folder for the database. */
  readonly folder: string
  readonly fileLimit?: number
  /** Makes the disk small once the database is there. */
  fill (api: Api): Promise<void>
  /** Makes room again, where that can be done while the process runs. */
  empty?: (api: Api) => Promise<void>
  remove (): void
}

const supply = 500

const disks: Readonly<Record<string, (folder: string) => Disk | undefined>> = {
  max_page_count: folder => ({
    folder,
    fill: api => api.execute('pragma max_page_count = 150'),
    empty: api => api.execute('pragma max_page_count = 1000000'),
    remove () {}
  }),
  // In blocks of 512 bytes.
  'limit of a file\'s size': folder => ({ folder, fileLimit: 1200, async fill () {}, remove () {} }),
  'full file system': fillSmall
}

/** Fills the disk under each kind of write, with each driver that is installed. */
export async function sqliteFullDisk (effort: Effort): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [name, make] of Object.entries(disks)) {
    const made: Outcome[] = []
    for (const driver of installedDrivers()) {
      const folder = join(effort.folder, `${outcomes.length}-${made.length}`)
      mkdirSync(folder)
      const disk = make(folder)
      if (disk !== undefined) made.push(await fill(effort, driver, disk))
    }
    if (made.length > 0) outcomes.push(merge(`SQLite, ${name}`, made))
    else console.error(`sqlite-full-disk: no file system can be mounted here, which needs root; '${name}' is left out`)
  }
  return outcomes
}

/** Writes until the disk is full, then each kind of write again and again, then makes room. */
async function fill (effort: Effort, driver: DriverName, disk: Disk): Promise<Outcome> {
  const { random, quick, folder } = effort
  const file = join(disk.folder, 'full.db')
  const setting = { kind: 'sqlite', driver, file, log: join(folder, `${driver.replaceAll(/\W/g, '-')}.log`) } as const
  const { fileLimit } = disk
  let api = await startApi({ ...setting, script: sqliteScript(supply) }, fileLimit === undefined ? {} : { fileLimit })
  const writer = makeWriter({ port: () => api.port, random, supply, padding: 3000 })
  await disk.fill(api)
  let struck = 0
  for (let round = 0; round < (quick ? 12 : 100); round++) {
    for (const kind of everyKind) {
      const write = await writer.write(kind)
      if (!isAcknowledged(write)) struck++
    }
  }
  const wrong = struck === 0 ? ['the disk was never full'] : []
  if (disk.empty === undefined) await api.stop()
  else await disk.empty(api)
  const over = performance.now()
  if (disk.empty === undefined) api = await startApi(setting)
  await writeUntilAcknowledged(writer, 'single create')
  const heals = [healedIn(writer.writes, over)]
  if (api.hasEnded()) wrong.push('the process ended by itself')
  await api.stop()
  const { marks, drift, damage } = inspect(file, driver)
  if (drift !== 0) wrong.push(`counters are off by ${drift}`)
  disk.remove()
  const verdict = judge(writer.writes, marks)
  return { name: driver, struck, verdict, log: firstLines(setting.log), heals, wrong: [...wrong, ...damage] }
}

/** A file system of a megabyte, a third of which is taken by another file. Undefined where none can be mounted. */
function fillSmall (folder: string): Disk | undefined {
  const disk = mountSmall(folder, '1m')
  const ballast = join(folder, 'ballast')
  return disk && {
    ...disk,
    async fill () { writeFileSync(ballast, Buffer.alloc(300_000)) },
    async empty () { rmSync(ballast) }
  }
}
