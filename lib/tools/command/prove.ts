import { ProofError, proveRules } from '../testing/prove/index.ts'
import { appOf, importExport } from './module.ts'
import type { Flags } from './flags.ts'
import type { Command } from './run.ts'
import { CommandError } from './terminal.ts'
import { parseHeader } from './types.ts'

/** Proves the rules of the application of a module (docs/testing.md: Prove). */
export const proveCommand: Command = {
  flags: {
    header: 'list', requests: 'text', seed: 'text', route: 'list', allow: 'list', export: 'text'
  },
  async run (flags, terminal) {
    const [file, ...others] = flags.given
    if (file === undefined || others.length > 0) {
      throw new CommandError('write: npx fastify-data-api prove <module>', { exitCode: 2 })
    }
    const headers = Object.fromEntries(flags.list('header').map(parseHeader))
    const isKnown = Object.keys(headers).length > 0
    let times = 0
    try {
      const { report } = await proveRules({
        // An application that its module makes is made anew.
        app: async () => appOf(await importExport(file, flags.text('export'), ++times), file),
        callers: isKnown ? { caller: { headers } } : { visitor: {} },
        ...numberOf(flags, 'requests'),
        ...numberOf(flags, 'seed'),
        routes: flags.list('route'),
        allow: flags.list('allow')
      })
      terminal.out(report)
      return 0
    } catch (error) {
      if (!(error instanceof ProofError)) throw error
      const [sentence = ''] = error.message.split('\n')
      terminal.out(error.report)
      terminal.error(`${sentence}\n`)
      return 1
    }
  }
}

function numberOf (flags: Flags, name: 'requests' | 'seed'): { readonly [flag in typeof name]?: number } {
  const text = flags.text(name)
  if (text === undefined) return {}
  if (/^\d{1,9}$/.test(text)) return { [name]: Number(text) }
  throw new CommandError(`--${name}: expected a number; found '${text}'`, { exitCode: 2 })
}
