import { parseArgs } from 'node:util'
import { suggest } from '../../core/errors/suggest.ts'
import { CommandError } from './terminal.ts'

/** `list`: the flag may be given several times. */
export type Flag = 'switch' | 'text' | 'list'

/** The values of the flags, and the arguments that are no flags. */
export interface Flags {
  readonly given: readonly string[]
  has (name: string): boolean
  text (name: string): string | undefined
  list (name: string): readonly string[]
}

/** Throws a CommandError for a wrong value, and for an unknown flag. */
export function parseFlags (given: readonly string[], known: Readonly<Record<string, Flag>>): Flags {
  const options = Object.fromEntries(Object.entries(known).map(([name, flag]) =>
    [name, { type: flag === 'switch' ? 'boolean' as const : 'string' as const, multiple: true }]))
  const { tokens, values, positionals } = parseArgs({
    args: [...given],
    options: { ...options, help: { type: 'boolean', short: 'h', multiple: true } },
    strict: false,
    allowPositionals: true,
    tokens: true
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const flag = Object.hasOwn(known, token.name) ? known[token.name] : undefined
    if (flag === undefined) throw unknown(token.rawName, token.name, Object.keys(known))
    checkValue(token.rawName, token.value, token.inlineValue === true, flag)
    const count = tokens.filter(other => other.kind === 'option' && other.name === token.name).length
    if (flag === 'text' && count > 1) throw wrong(`the flag ${token.rawName} is given twice`)
  }
  const list = (name: string) => (values[name] as string[] | undefined) ?? []
  return { given: positionals, has: name => values[name] !== undefined, text: name => list(name)[0], list }
}

const wrong = (message: string) => new CommandError(message, { exitCode: 2 })

function unknown (raw: string, name: string, known: readonly string[]): CommandError {
  const near = suggest(name, known)
  return wrong(`unknown flag ${raw}; ${near === undefined ? '--help lists the flags' : `did you mean --${near}?`}`)
}

function checkValue (raw: string, value: string | boolean | undefined, isInline: boolean, flag: Flag): void {
  if (flag === 'switch') {
    if (isInline) throw wrong(`the flag ${raw} takes no value; found '${String(value)}'`)
    return
  }
  if (typeof value !== 'string' || value === '' || (!isInline && /^--[a-z]/.test(value))) {
    throw wrong(`the flag ${raw} needs a value`)
  }
}
