import { quoteName } from '../table-name.ts'
import type { SqliteDriver } from './driver.ts'

/** What is made from the tables of a database, as long as no migration changes them. */
export interface Followed<Made> {
  current (): Made
  /** Looks for a migration at the next call of `current`. */
  refresh (): void
}

/**
 * Makes something from the tables of a database, and makes it anew after a migration, whoever has run it. SQLite counts
 * the changes of each schema. It is asked at most every 100 ms, because that takes as long as a small read.
 */
export function followSchema<Made> (driver: Pick<SqliteDriver, 'prepare'>, make: () => Made): Followed<Made> {
  let known: { readonly versions: string | undefined, readonly made: Made } | undefined
  let next = 0
  const look = () => {
    const versions = readVersions(driver) ?? known?.versions
    return known !== undefined && known.versions === versions ? known : { versions, made: make() }
  }
  return {
    current () {
      const now = performance.now()
      if (known !== undefined && now < next) return known.made
      next = now + pause
      known = look()
      return known.made
    },
    refresh () { next = 0 }
  }
}

// In milliseconds.
const pause = 100

/** Returns the versions of all schemas; undefined if they cannot be read now, such as while the file is locked. */
function readVersions (driver: Pick<SqliteDriver, 'prepare'>): string | undefined {
  try {
    const schemas = driver.prepare(schemasQuery).all() as readonly SchemaRow[]
    return JSON.stringify(['temp', ...schemas.map(({ name }) => name)].map(name =>
      [name, driver.prepare(`pragma ${quoteName(name)}.schema_version`).get()]))
  } catch {
    return undefined
  }
}

// The temporary schema is listed from its first use on.
const schemasQuery = "select name from pragma_database_list where name <> 'temp'"

interface SchemaRow { readonly name: string }
