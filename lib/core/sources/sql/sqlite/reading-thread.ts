import { existsSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { attach } from './attached.ts'
import { makeClock, Overdue } from './clock.ts'
import { openDriver, toArrays } from './driver.ts'
import { registerFunctions } from './functions.ts'
import { memoizeRecent } from '../../../scheduling/memoize.ts'
import { TooLong } from './faults.ts'
import { type Reading, readRows } from './rows.ts'
import { ThreadState } from './thread-state.ts'
import type { ThreadAnswer, ThreadData, ThreadMessage, ThreadRead } from './reading-threads.ts'

// The program of a thread that reads (reading-threads.ts): it has a connection of its own to the file, and answers one
// read at a time.

if (parentPort !== null) serve(parentPort, workerData as ThreadData)

function serve (port: MessagePort, data: ThreadData): void {
  const { file, driver: name, readOnly, busyTimeout, attached, preparedCharacters: characters } = data
  checkFiles([file, ...attached.map(one => one.file)])
  const driver = openDriver(file, name, { readOnly })
  // SQLite's own busy timeout blocks this thread alone.
  driver.exec(`pragma busy_timeout = ${busyTimeout}; pragma cache_size = -16000; pragma query_only = on`)
  for (const one of attached) attach(driver, one)
  registerFunctions(driver)
  const state = new ThreadState(data.state)
  const clock = makeClock(driver, () => state.isInterrupted())
  const prepare = memoizeRecent(text => toArrays(driver.prepare(text)), { most: 100, characters })
  const reading: Reading = { driver, clock, prepare }
  port.on('message', (message: ThreadMessage) => {
    if (message !== 'close') {
      port.postMessage(answer(message, reading))
      state.finish()
      return
    }
    driver.close()
    port.close()
  })
}

/** SQLite would make a file that is away for a moment, and the thread would read that empty one from then on. */
function checkFiles (files: readonly string[]): void {
  const missing = files.find(path => !path.startsWith('file:') && !existsSync(path))
  if (missing !== undefined) throw new Error(`the file '${missing}' is away`)
}

function answer (asked: ThreadRead, reading: Reading): ThreadAnswer {
  try {
    const begun = performance.now()
    const rows = readRows(reading, asked, asked.limit)
    return { kind: 'rows', rows, milliseconds: performance.now() - begun }
  } catch (error) {
    if (error instanceof Overdue) return { kind: 'overdue' }
    if (error instanceof TooLong) return { kind: 'too-long' }
    if (!(error instanceof Error)) return { kind: 'error', message: String(error), facts: {} }
    const { code, errcode } = error as Error & { readonly code?: unknown, readonly errcode?: unknown }
    const facts = { ...code !== undefined && { code }, ...errcode !== undefined && { errcode } }
    return { kind: 'error', message: error.message, facts }
  }
}
