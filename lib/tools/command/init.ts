import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Declared } from '../../core/declare/collection.ts'
import { printable } from '../../core/errors/printable.ts'
import { describeChanges } from '../../core/sources/sql/tables.ts'
import type { OpenedDatabase } from './open.ts'
import { prepare, preparingFlags } from './prepare.ts'
import type { Flags } from './flags.ts'
import type { Command } from './run.ts'
import { declareDesign } from './scaffold/declare.ts'
import { writeProject } from './scaffold/write/project.ts'
import { CommandError, explain, readVersion, shellWord } from './terminal.ts'

/** Writes a project that serves a database, or tells how a project differs from its database. */
export const init: Command = {
  flags: { ...preparingFlags, diff: 'switch' },
  async run (flags, terminal) {
    const [target, folder, ...others] = flags.given
    if (target === undefined || folder === undefined || others.length > 0) {
      throw new CommandError('write: npx fastify-data-api init <database> <folder>', { exitCode: 2 })
    }
    const { database, design } = await prepare(flags, { write: false }, terminal)
    try {
      if (flags.has('diff')) {
        const own = await loadCollections(resolve(folder))
        const lines = describeChanges(declareDesign(design, database.db), own, new Set(design.joins))
        const told = lines.length === 0 ? ['The project has all that the database has.'] : lines.map(printable)
        terminal.out(`${told.join('\n')}\n`)
        return lines.length === 0 ? 0 : 1
      }
      const files = writeProject(design, {
        name: nameOf(folder),
        version: readVersion(),
        file: database.file === undefined ? undefined : relative(resolve(folder), resolve(database.file)),
        needsDriver: !isBuiltin('node:sqlite'),
        isUnproven: flags.list('key').length > 0,
        command: commandOf(flags, database)
      })
      writeFiles(resolve(folder), files)
      terminal.out(`${[...files.keys()].map(path => join(folder, path)).join('\n')}\n\n`)
      const setting = database.kind === 'postgres' ? 'set DATABASE_URL, and ' : ''
      terminal.out(`Next: ${setting}cd ${shellWord(folder)} && npm install && npm test && npm start\n`)
      return 0
    } finally {
      await database.db.close()
    }
  }
}

/** Returns a name that npm takes. */
const nameOf = (folder: string) =>
  basename(resolve(folder)).toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'data-api'

/** Returns the command line for people, without the address of a server. */
function commandOf ({ list }: Flags, { file }: OpenedDatabase): string {
  const flags = ['tables', 'schema', 'key', 'show'].flatMap(name =>
    list(name).map(value => `--${name} ${shellWord(value)}`))
  const target = file === undefined ? 'postgres://…' : shellWord(basename(file))
  return ['npx fastify-data-api init', target, ...flags].join(' ')
}

/** Writes all files or none: an existing one is an error. */
function writeFiles (folder: string, files: ReadonlyMap<string, string>): void {
  const existing = [...files.keys()].find(path => existsSync(join(folder, path)))
  if (existing !== undefined) {
    const advice = 'nothing is overwritten; name another folder, or use --diff'
    throw new CommandError(`'${join(folder, existing)}' exists, and ${advice}`)
  }
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text, { flag: 'wx' })
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new CommandError(`the folder '${folder}' cannot be written (${code})`, { cause: error })
  }
}

type Collections = Readonly<Record<string, Declared>>

interface Exports { readonly collections?: Collections }

/** Imports the collections of a project: what it was compiled to, else the sources where Node.js runs TypeScript. */
async function loadCollections (folder: string): Promise<Collections> {
  const candidates = ['dist/collections.js', 'collections.js', 'collections.ts'].map(path => join(folder, path))
  const file = candidates.find(path => existsSync(path))
  if (file === undefined) throw new CommandError(`'${folder}' has no collections.ts; init writes one`)
  // The project names its own files, such as that of SQLite, from where it stands.
  process.chdir(folder)
  try {
    const { collections } = await import(pathToFileURL(file).href) as Exports
    if (typeof collections === 'object') return collections
  } catch (error) {
    const isSource = file.endsWith('.ts')
    const advice = isSource ? `run npm run build in '${folder}' first` : 'mend it, or run npm run build there'
    throw new CommandError(`'${file}' cannot be imported (${explain(error)}); ${advice}`, { cause: error })
  }
  throw new CommandError(`'${file}' does not export 'collections'`)
}
