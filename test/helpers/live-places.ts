import { memory, sqlite } from '../../lib/index.ts'
import { openDriver } from '../../lib/core/sources/sql/sqlite/driver.ts'
import type { World } from './every-source.ts'
import { openLogged } from './logged-postgres.ts'
import { withoutPostgres } from './on-postgres.ts'
import { newFile } from './on-sqlite.ts'
import { type Opened, sqliteDdl, type Tables } from './sources.ts'

/** A database of notes (test/fixtures/notes.ts), and a door that is not the API's. */
export interface Place {
  readonly source: Opened['source']
  /** The same tables as another process knows them; undefined where only one process can serve them. */
  readonly elsewhere?: Opened['source']
  /** Writes behind the back of the API; undefined where only the option `recheck` would notice it. */
  readonly behind?: (write: Behind) => void | Promise<unknown>
  /** Replaces all rows. */
  fill (tables: Tables): void | Promise<unknown>
  close (): void | Promise<void>
}

export interface Behind {
  readonly by: 'another connection' | 'the same connection'
  readonly what: 'update' | 'delete'
  readonly id: number
  readonly text: string
}

/** Opens the tables of a world, without rows. */
export const places: Readonly<Record<string, (world: World) => Place | Promise<Place>>> = {
  memory: openMemory,
  sqlite: openSqlite,
  ...!withoutPostgres && { postgres: openPostgres, 'postgres with a log': openPostgresWithLog }
}

function openMemory ({ tables }: World): Place {
  const rows = Object.fromEntries(Object.keys(tables).map(name => [name, [] as Array<Record<string, unknown>>]))
  const source = (table: string) => memory(rows[table] ?? [], { joins: rows, statementTimeout: 0 })
  return {
    source,
    behind ({ id, text }) {
      for (const note of rows['notes'] ?? []) if (note['id'] === id) note['text'] = text
      source('notes').refresh()
    },
    fill (tables) {
      for (const [table, filled] of Object.entries(tables)) {
        rows[table]?.splice(0, Infinity, ...structuredClone(filled))
        source(table).refresh()
      }
    },
    close () {}
  }
}

function openSqlite ({ ddl = '' }: World): Place {
  const file = newFile()
  const db = sqlite(file)
  db.exec(sqliteDdl(ddl))
  const other = openDriver(file, undefined)
  other.exec('pragma foreign_keys = on; pragma busy_timeout = 5000')
  return {
    source: table => db.table(table),
    behind ({ by, what, id, text }) {
      const driver = by === 'another connection' ? other : db.driver
      if (what === 'update') driver.prepare('update notes set text = ? where id = ?').run(text, id)
      else driver.exec(deletion(id))
    },
    fill (tables) {
      other.exec(emptying(tables))
      for (const [table, rows] of Object.entries(tables)) {
        for (const row of rows) {
          const names = Object.keys(row).map(name => `"${name}"`)
          other.prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`)
            .run(...Object.values(row))
        }
      }
    },
    close () {
      other.close()
      db.close()
    }
  }
}

async function openPostgres (world: World): Promise<Place> {
  const { open, fill, close } = await openLogged(world)
  const db = open({})
  return { source: table => db.table(table), fill, close }
}

async function openPostgresWithLog (world: World): Promise<Place> {
  const { open, other, fill, close } = await openLogged(world)
  const [db, second] = [open(logged), open(logged)]
  return {
    source: table => db.table(table),
    elsewhere: table => second.table(table),
    async behind ({ by, what, id, text }) {
      const script = what === 'update' ? `update notes set text = '${text}' where id = ${id}` : deletion(id)
      await (by === 'another connection' ? other.query(script) : db.pool.query(script))
    },
    fill,
    close
  }
}

const logged = { changes: { poll: 2 } }

const deletion = (note: number) => `delete from parts where "noteId" = ${note}; delete from notes where id = ${note}`

const emptying = (tables: Tables) => Object.keys(tables).reverse().map(name => `delete from ${name};`).join(' ')
