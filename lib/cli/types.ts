import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { typesHead } from '../openapi/types/module.ts'
import type { Command } from './run.ts'
import { CommandError } from './terminal.ts'

/** Writes the types of an API for `createClient<Api>()` (docs/client.md: Types). */
export const types: Command = {
  flags: { out: 'text', header: 'list', prefix: 'text', export: 'text' },
  async run (flags, terminal) {
    const [target, ...others] = flags.given
    if (target === undefined || others.length > 0) {
      throw new CommandError('write: npx fastify-data-api types <url | module> --out api.ts', { exitCode: 2 })
    }
    const out = flags.text('out')
    if (out !== undefined) checkOut(out)
    const text = /^https?:\/\//i.test(target)
      ? await (await import('./types-of-url.ts')).typesOfUrl(target, flags.list('header'))
      : await (await import('./types-of-module.ts')).typesOfModule(target, flags)
    if (out === undefined) terminal.out(text)
    else write(out, text)
    if (!/^ {4}(?:create|update): (?!never$)/m.test(text)) terminal.error(withoutWrites)
    return 0
  }
}

// An API shows its document without writes to a caller whom it does not know.
const withoutWrites = `These types have no writes. If the API has some, name the caller by
--header 'Authorization: Bearer …'.
The hook that knows the caller must run for /openapi.json as well.
`

/** Throws for a file that this command has not written, so that no other file is overwritten. */
function checkOut (file: string): void {
  if (!existsSync(file) || read(file).startsWith(typesHead)) return
  throw new CommandError(`'${file}' exists and was not written by this command; name another file`)
}

function read (file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function write (file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    throw new CommandError(`the file '${file}' cannot be written (${code})`, { cause })
  }
}
