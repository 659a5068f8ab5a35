import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { typesHead, writeTypes } from '../../doors/documents/types/module.ts'
import { registrationsIn } from '../../plugin/registrations.ts'
import { appOf, importExport } from './module.ts'
import type { Flags } from './flags.ts'
import type { Command } from './run.ts'
import { CommandError, explain } from './terminal.ts'

/** Writes the types of an API for `createClient<Api>()` (docs/clients.md: Types). */
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
      ? await typesOfUrl(target, flags.list('header'))
      : await typesOfModule(target, flags)
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

/** Returns the types of the API whose root, or OpenAPI document, is at a URL: of what this caller may see of it. */
async function typesOfUrl (target: string, headers: readonly string[]): Promise<string> {
  const url = documentUrl(target)
  // Without what may be secret.
  const label = url.origin + url.pathname
  const text = await fetchText(url, label, headers.map(parseHeader))
  try {
    const document = JSON.parse(text) as Parameters<typeof writeTypes>[0]
    const types = writeTypes(document)
    // That of another API has no collections.
    if (/^ {4}item: /m.test(types)) return types
  } catch {}
  throw new CommandError(`${label} is not the OpenAPI document of a data API; name the URL of the API's root`)
}

function documentUrl (target: string): URL {
  if (!URL.canParse(target)) throw new CommandError(`'${target}' is not a URL`, { exitCode: 2 })
  const url = new URL(target)
  if (!url.pathname.endsWith('/openapi.json')) url.pathname = url.pathname.replace(/\/*$/, '/openapi.json')
  url.searchParams.set('profile', 'types')
  return url
}

/** Parses the value of a flag `--header`. */
export function parseHeader (header: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.+)$/.exec(header) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new CommandError("--header: expected a name and a value, such as 'Authorization: Bearer …'", { exitCode: 2 })
}

async function fetchText (url: URL, label: string, headers: Array<[string, string]>): Promise<string> {
  if (url.username !== '' || url.password !== '') {
    throw new CommandError("a URL takes no password; use --header 'Authorization: Basic …'", { exitCode: 2 })
  }
  let response: Response
  try {
    // fetch() sends all headers but the known secret ones to another origin.
    const redirect = headers.length > 0 ? 'error' : 'follow'
    response = await fetch(url, { headers, redirect, signal: AbortSignal.timeout(longestFetch) })
    if (response.ok) return await response.text()
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    throw new CommandError(`${label} cannot be read (${explain(reason)})`, { cause })
  }
  const { status } = response
  const advice = status === 401 || status === 403
    ? "; --header 'Authorization: Bearer …' says who asks"
    : status === 404 || status === 400
      ? "; name the URL of the API's root, whose option openapi must not be false"
      : ''
  throw new CommandError(`${label} answers ${status}${advice}`)
}

/** In milliseconds. */
const longestFetch = 30_000

/**
 * Returns the types of the API of a module, which exports an application, a function that builds it, a plugin, the
 * options of this plugin, or its collections.
 */
async function typesOfModule (file: string, flags: Flags): Promise<string> {
  const app = await appOf(await importExport(file, flags.text('export')), file)
  try {
    await app.ready()
    const registrations = new Map(registrationsIn(app).map(api => [api.prefix, api]))
    const prefix = flags.text('prefix')?.replace(/\/+$/, '') ?? [...registrations.keys()][0]
    const registered = prefix === undefined ? undefined : registrations.get(prefix)
    if (registered !== undefined) return registered.types()
    const found = [...registrations.keys()].map(one => `'${one}'`).join(', ')
    throw new CommandError(found === ''
      ? `the application of '${file}' has not registered fastify-data-api; name the plugin that registers it, or the ` +
        'URL of the running API'
      : `--prefix: '${prefix}' is not one of ${found}`)
  } finally {
    await app.close()
  }
}
