import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { Overdue } from '../../../lib/core/sources/sql/sqlite/clock.ts'
import type { Connection } from '../../../lib/core/sources/sql/sqlite/connection.ts'
import { makeReader } from '../../../lib/core/sources/sql/sqlite/reader.ts'
import type { PreparedRead } from '../../../lib/core/sources/sql/statements/statements.ts'
import { WriteLock } from '../../../lib/core/sources/write-lock.ts'

// docs/databases.md: Reads that take long on SQLite. Where a read runs, of connections and threads that are pretended.

const someRead: PreparedRead<string> = {
  text: 'select 1',
  collection: '',
  cardinality: 'row',
  parameters: [],
  longest: 1,
  longValues: 1,
  decode: () => 'read'
}

/** Makes a reader whose first read here takes too long. `thread`: what a thread does. `ran`: where reads ran. */
function readerOver (thread: () => Promise<{ milliseconds: number }>) {
  const ran: string[] = []
  const main = {
    read ({ decode }: PreparedRead<string>) {
      ran.push('here')
      if (ran.length === 1) throw new Overdue(10)
      return decode([])
    }
  }
  const threads = {
    async read () {
      ran.push('thread')
      return { rows: [], ...await thread() }
    },
    close () {}
  }
  const lock = new WriteLock(1000)
  const readers = { main: main as unknown as Connection, snapshotConnection: undefined, threads, lock }
  const read = makeReader(readers, { busyTimeout: 1000, statementTimeout: 1000 })
  return { ran, read: () => read(() => someRead) }
}

test('a read that was slow once comes back from the threads, however long it waited for one', async t => {
  const { ran, read } = readerOver(() => setTimeout(20, { milliseconds: 1 }))
  for (let n = 0; n < 2; n++) t.equal(await read(), 'read')
  t.strictSame(ran, ['here', 'thread', 'here'])
})

for (const [message, ways] of [
  ['no such column: t.text', ['here', 'thread', 'here', 'thread']],
  ['unable to open database file', ['here', 'thread', 'here', 'thread']],
  ['no such function: slow_odd', ['here', 'thread', 'here', 'here']]
] as const) {
  test(`a read whose thread fails by '${message}' runs here; the next one begins ${ways[3]}`, async t => {
    const { ran, read } = readerOver(async () => {
      if (ran.length === 2) throw new Error(message)
      return { milliseconds: 100 }
    })
    const warnings: string[] = []
    const note = ({ message }: Error) => { warnings.push(message) }
    process.on('warning', note)
    for (let n = 0; n < 2; n++) t.equal(await read(), 'read')
    t.strictSame(ran, ways)
    await setTimeout(1)
    t.equal(warnings.some(warning => warning.includes(message)), ways[3] === 'here')
    process.off('warning', note)
  })
}
