import type { Tables } from './scaffold/tables.ts'
import { CommandError } from './terminal.ts'
import { orNearest } from '../errors/suggest.ts'

/** The tables that `--tables` names, such as `album*,artist`. */
export interface Selection {
  isWanted (name: string): boolean
  /** Throws a CommandError for a name that no table has. */
  check (tables: Tables): void
}

/** Parses the values of `--tables`; without any, all tables are wanted. */
export function parseSelection (lists: readonly string[]): Selection {
  const patterns = lists.flatMap(list => list.split(',')).map(text => text.trim()).filter(text => text !== '')
  const tests = patterns.map(text => ({ text, test: patternOf(text) }))
  const seen = new Set<string>()
  return {
    isWanted (name) {
      seen.add(name)
      return tests.length === 0 || tests.some(({ test }) => test.test(name))
    },
    check () {
      for (const { text, test } of tests) {
        if ([...seen].some(name => test.test(name))) continue
        throw unknownName('--tables', text, seen, 'table or view')
      }
    }
  }
}

function patternOf (text: string): RegExp {
  const parts = text.split('*').map(part => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'su')
}

/** Parses `--key view=one,two`. Throws a CommandError for a table or column that does not exist. */
export function parseKeys (given: readonly string[], { tables }: Tables): ReadonlyMap<string, readonly string[]> {
  return new Map(given.map(text => {
    const at = text.indexOf('=')
    if (at < 1) throw new CommandError(`--key ${text}: expected view=column`, { exitCode: 2 })
    const name = text.slice(0, at)
    const columns = text.slice(at + 1).split(',').map(part => part.trim())
    const table = tables.find(one => one.name === name)
    if (table === undefined) throw unknownName('--key', name, tables.map(one => one.name), 'table or view')
    const names = table.columns.map(one => one.name)
    for (const column of columns) {
      if (!names.includes(column)) throw unknownName(`--key ${name}`, column, names, 'column')
    }
    return [name, columns]
  }))
}

/** Parses `--show table.column`. Throws a CommandError for a column that does not exist. */
export function parseShown (given: readonly string[], { tables }: Tables): ReadonlySet<string> {
  const known = new Set(tables.flatMap(({ name, columns }) => columns.map(column => `${name}.${column.name}`)))
  const places = given.flatMap(text => text.split(',')).map(text => text.trim())
  for (const place of places) if (!known.has(place)) throw unknownColumn(place, known)
  return new Set(places)
}

function unknownColumn (place: string, known: ReadonlySet<string>): CommandError {
  const ofThisName = [...known].find(one => one.toLowerCase().endsWith(`.${place.toLowerCase()}`))
  if (ofThisName === undefined) return unknownName('--show', place, known, 'column')
  return new CommandError(`--show: write table.column for '${place}', such as '${ofThisName}'`)
}

const unknownName = (flag: string, name: string, known: Iterable<string>, what: string) =>
  new CommandError(`${flag}: there is no ${what} '${name}'${orNearest(name, known)}`)
