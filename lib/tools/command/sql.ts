// Loaded when it is asked for, as each command is.
import { suggest } from '../../core/errors/suggest.ts'
import type { Api } from '../../core/api/answer.ts'
import { apisOf } from './module.ts'
import type { Flags } from './flags.ts'
import type { Command } from './run.ts'
import { CommandError } from './terminal.ts'

/** Returns a script of SQL for the APIs of an application. */
type Printer = (apis: readonly Api[], flags: Flags) => Promise<string> | string

// Each is loaded when it is asked for.
const printers: Readonly<Record<string, () => Promise<Printer>>> = {
  tables: async () => (await import('./tables.ts')).tables,
  changes: async () => (await import('./changes.ts')).changes,
  idempotency: async () => (await import('./tables.ts')).idempotency
}

/**
 * Prints SQL for the declarations of a module, and runs none (docs/databases.md#tables-from-declarations,
 * docs/writing.md).
 */
export const sqlCommand: Command = {
  flags: { for: 'text', diff: 'text', export: 'text' },
  async run (flags, terminal) {
    const [kind = '', file, ...others] = flags.given
    const load = Object.hasOwn(printers, kind) ? printers[kind] : undefined
    const near = suggest(kind, Object.keys(printers))
    if (load === undefined || file === undefined || others.length > 0) {
      const kinds = near === undefined ? Object.keys(printers).join(' | ') : near
      throw new CommandError(`write: npx fastify-data-api sql ${kinds} <module>`, { exitCode: 2 })
    }
    const print = await load()
    terminal.out(await print(await apisOf(file, flags.text('export')), flags))
    return 0
  }
}
