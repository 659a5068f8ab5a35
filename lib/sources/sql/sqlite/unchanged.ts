import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WriteLock } from '../../write-lock.ts'
import type { Statements } from '../statements/statements.ts'
import type { FindWrites } from '../table-writes.ts'
import { attach, attachedFiles } from './attached.ts'
import type { Connection } from './connection.ts'
import { openDriver, type SqliteDriver } from './driver.ts'
import type { Read } from './reader.ts'
import type { ReadJson } from './read-cache.ts'

/** The connections to a file. */
export interface OpenFile {
  readonly driver: SqliteDriver
  readonly statements: Statements
  readonly main: Connection
  readonly reader: Connection | undefined
  readonly lock: WriteLock
  readonly read: Read
  readonly readJson: ReadJson
  readonly findWrites: FindWrites
  /** Looks for a migration before the next statement. */
  refresh (): void
  /** Closes the connections. `onClosed`: called when those of the reading threads are closed too. */
  close (onClosed: () => void): void
}

/** A file whose connections may be replaced. */
export interface Opened {
  current (): OpenFile
  /** Runs a read on the connections, perhaps again on others. */
  use<T> (read: (file: OpenFile) => T | Promise<T>): T | Promise<T>
  close (): void
}

/** Returns a file whose connections stay the same. */
export const openOnce = (file: OpenFile): Opened =>
  ({ current: () => file, use: read => read(file), close () { file.close(() => {}) } })

/**
 * Opens a file for reading so that neither it nor its folder changes (docs/databases.md: Reading only).
 *
 * To read a file in WAL mode, SQLite makes a log beside it, unless it is told that the file is immutable. That is true
 * as long as no other process writes to the file: then there is a log, or the file has another time. Both are looked at
 * before and after each read. Afterwards the file is opened anew, and the read is repeated.
 */
export function openUnchanged (file: string, open: (file: string) => OpenFile): Opened {
  if (file.startsWith('file:') || !isInWalMode(file)) return openOnce(open(file))
  const path = resolve(file)
  const address = `${pathToFileURL(path).href}?immutable=1`
  let state = stateOf(path)
  let opened = state === undefined ? open(path) : openImmutable(address, open)
  if (opened === undefined) return removingLog(path, open(path))
  const renew = () => {
    const now = stateOf(path)
    if (state === undefined || now === state) return false
    const { driver, close } = opened as OpenFile
    const attached = attachedFiles(driver)
    state = now
    opened = open(now === undefined ? path : address)
    for (const one of attached) attach(opened.driver, one)
    close(() => {})
    return true
  }
  const current = () => {
    renew()
    return opened as OpenFile
  }
  const use: Opened['use'] = read => {
    const file = current()
    const result = read(file)
    if (!(result instanceof Promise)) return renew() ? use(read) : result
    return result.then(value => renew() ? use(read) : value, (error: unknown) => {
      // Another read may have closed the connections that this one was on.
      if (renew() || opened !== file) return use(read)
      throw error
    })
  }
  return { current, use, close () { opened?.close(() => {}) } }
}

/** Returns the state of a file without a log, which changes with each write; undefined while it has a log. */
function stateOf (path: string): string | undefined {
  if (statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined) return undefined
  const { mtimeMs, size, ino } = statSync(path)
  return `${mtimeMs} ${size} ${ino}`
}

/** Returns undefined if the driver takes no URI. */
function openImmutable (address: string, open: (file: string) => OpenFile): OpenFile | undefined {
  try {
    return open(address)
  } catch {
    return undefined
  }
}

/** Returns true if a file says that it has a log while it is in use (sqlite.org/fileformat2.html, 1.3.3). */
function isInWalMode (file: string): boolean {
  const header = Buffer.alloc(20)
  try {
    const descriptor = openSync(file, 'r')
    readSync(descriptor, header, 0, header.length, 0)
    closeSync(descriptor)
  } catch {
    // The driver tells better why the file cannot be read.
  }
  return header[18] === 2 || header[19] === 2
}

/** Returns an open file beside which the empty log is removed that reading it has made. */
function removingLog (path: string, file: OpenFile): Opened {
  const close = () => {
    file.close(() => {
      // A log with content holds what another process has written.
      if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size !== 0) return
      // The last connection that may write deletes the log, unless another process uses the file.
      const last = openDriver(path, undefined)
      last.exec('select count(*) from sqlite_schema')
      last.close()
    })
  }
  return { ...openOnce(file), close }
}
