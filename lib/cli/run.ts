import { parseFlags } from './flags.ts'
import { commandHelp } from './help.ts'
import { CommandError, explain, type Terminal } from './terminal.ts'

/** A command: its flags and what it does. It returns the exit code; undefined while it goes on, as a server does. */
export interface Command {
  readonly flags: Readonly<Record<string, Flag>>
  run (flags: Flags, terminal: Terminal): Promise<number | undefined>
}

/** `list`: the flag may be given several times. */
export type Flag = 'switch' | 'text' | 'list'

/** The values of the flags, and the arguments that are no flags. */
export interface Flags {
  readonly given: readonly string[]
  has (name: string): boolean
  text (name: string): string | undefined
  list (name: string): readonly string[]
}

// Each is loaded when it is asked for, so that `--help` is there at once.
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  init: async () => (await import('./init.ts')).init,
  types: async () => (await import('./types.ts')).types
}

/**
 * Runs the command line `npx fastify-data-api …` (docs/from-a-database.md). Returns the exit code: 0, 1 for an error, 2
 * for wrong flags; undefined while a server runs.
 */
export async function runCommand (given: readonly string[], terminal: Terminal): Promise<number | undefined> {
  try {
    const [first = ''] = given
    const name = Object.hasOwn(commands, first) ? first : 'serve'
    const command = await commands[name]?.()
    if (command === undefined) return 2
    const known: Command['flags'] = { ...command.flags, help: 'switch', version: 'switch' }
    const flags = parseFlags(name === first ? given.slice(1) : given, known)
    if (flags.has('version')) return await printVersion(terminal)
    if (flags.has('help')) {
      terminal.out(commandHelp(name))
      return 0
    }
    return await command.run(flags, terminal)
  } catch (error) {
    terminal.error(`${explain(error)}\n`)
    return error instanceof CommandError ? error.exitCode : 1
  }
}

async function printVersion (terminal: Terminal): Promise<number> {
  const { readVersion } = await import('./version.ts')
  terminal.out(`${readVersion()}\n`)
  return 0
}
