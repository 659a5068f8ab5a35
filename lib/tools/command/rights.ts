import {
  describeInMarkdown, readRights, type RightsCaller, type RightsCallers, toJson
} from '../testing/prove/rights.ts'
import { appOf, importExport } from './module.ts'
import type { Command } from './run.ts'
import { CommandError } from './terminal.ts'
import { parseHeader } from './types.ts'

/** Prints what callers may do to the collections of the application of a module (docs/testing.md: Rights). */
export const rightsCommand: Command = {
  flags: { caller: 'list', callers: 'text', json: 'switch', export: 'text' },
  async run (flags, terminal) {
    const [file, ...others] = flags.given
    if (file === undefined || others.length > 0) {
      throw new CommandError('write: npx fastify-data-api rights <module>', { exitCode: 2 })
    }
    const named = callersIn(flags.list('caller'))
    const exported = flags.text('callers')
    const made = exported === undefined ? {} : await importExport(file, exported)
    const app = async () => appOf(await importExport(file, flags.text('export')), file)
    const rights = await readRights(app, async built => ({ ...await callersOf(made, built), ...named }))
    terminal.out(flags.has('json') ? toJson(rights) : describeInMarkdown(rights))
    return 0
  }
}

type App = Parameters<Extract<RightsCallers, (...given: never[]) => unknown>>[0]

const callersOf = async (made: unknown, app: App): Promise<Readonly<Record<string, RightsCaller>>> =>
  await (typeof made === 'function' ? made(app) : made) as Readonly<Record<string, RightsCaller>>

/** Returns the callers of `--caller`, of which each has a header; several of a name add up. */
function callersIn (given: readonly string[]): Readonly<Record<string, RightsCaller>> {
  const callers = new Map<string, Record<string, string>>()
  for (const one of given) {
    const [, name, header] = /^([^=:\s]+)=(.+)$/.exec(one) ?? []
    if (name === undefined || header === undefined) {
      throw new CommandError("--caller: expected a name and a header, such as 'lead=Authorization: Bearer …'", {
        exitCode: 2
      })
    }
    callers.set(name, { ...callers.get(name), ...Object.fromEntries([parseHeader(header)]) })
  }
  return Object.fromEntries([...callers].map(([name, headers]) => [name, { headers }]))
}
