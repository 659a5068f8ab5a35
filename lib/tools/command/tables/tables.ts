import type { Api } from '../../../core/api/answer.ts'
import { collectionsOf } from '../../../core/api/keys.ts'
import type { Collection } from '../../../core/model/model.ts'
import { databaseOf } from '../../../core/sources/source.ts'
import { checkFile, isPostgres } from '../open.ts'
import type { Flags } from '../run.ts'
import { CommandError } from '../terminal.ts'
import { designTables } from './design.ts'
import { printTables } from './print.ts'
import type { Engine } from './types.ts'

/** Returns the script that creates the tables of an application (docs/databases.md: Tables from declarations). */
export async function tables (apis: readonly Api[], flags: Flags): Promise<string> {
  const all = apis.flatMap(({ model }) => [...model.collections.values()])
  const target = flags.text('diff')
  return target === undefined ? printFor(all, flags) : printMissing(all, target)
}

/** Returns the script that adds to a database what it lacks. */
async function printMissing (all: readonly Collection[], target: string): Promise<string> {
  const { collections, engine } = choose(all, isPostgres(target) ? 'postgres' : 'sqlite')
  const designs = designTables(collections, engine)
  const names = designs.map(({ name }) => name)
  const [{ readPostgresTables, readSqliteTables }, { printDiff }] =
    await Promise.all([import('./existing.ts'), import('./diff.ts')])
  if (engine === 'postgres') return printDiff(collections, designs, await readPostgresTables(target, names), engine)
  checkFile(target)
  return printDiff(collections, designs, readSqliteTables(target, names), engine)
}

/** Returns the script that creates the tables of the keys of writes (docs/writing.md: Writes that may be repeated). */
export function idempotency (apis: readonly Api[], flags: Flags): string {
  const kept = apis.flatMap(({ keys }) => collectionsOf(keys)).filter(one => databaseOf(one).kind !== 'memory')
  if (kept.length === 0) throw new CommandError("the application has no table as its option 'idempotency.table'")
  return printFor(kept, flags)
}

function printFor (all: readonly Collection[], flags: Flags): string {
  const { collections, engine } = choose(all, flags.text('for'))
  return printTables(designTables(collections, engine), engine)
}

const engines: readonly Engine[] = ['sqlite', 'postgres']

interface Chosen { readonly collections: readonly Collection[], readonly engine: Engine }

/** Returns the collections whose database is of the asked kind, or all collections if none is. */
function choose (all: readonly Collection[], asked: string | undefined): Chosen {
  const kinds = [...new Set(all.map(one => databaseOf(one).kind))]
  const [only, other] = kinds
  const wanted = asked ?? (other === undefined ? only : undefined)
  const engine = engines.find(one => one === wanted)
  if (engine === undefined) {
    const found = asked === undefined ? `its collections are over ${kinds.join(', ')}` : `found '${asked}'`
    throw new CommandError(`--for: expected ${engines.join(' or ')}; ${found}`, { exitCode: 2 })
  }
  const own = all.filter(one => databaseOf(one).kind === engine)
  return { collections: own.length > 0 ? own : all, engine }
}
