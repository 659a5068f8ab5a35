import { writeTypes } from '../openapi/types/module.ts'
import { CommandError, explain } from './terminal.ts'

/** Returns the types of the API whose root, or OpenAPI document, is at a URL: of what this caller may see of it. */
export async function typesOfUrl (target: string, headers: readonly string[]): Promise<string> {
  const url = documentUrl(target)
  // Without what may be secret.
  const label = url.origin + url.pathname
  const text = await load(url, label, headers.map(parseHeader))
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

function parseHeader (header: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.+)$/.exec(header) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new CommandError("--header: expected a name and a value, such as 'Authorization: Bearer …'", { exitCode: 2 })
}

async function load (url: URL, label: string, headers: Array<[string, string]>): Promise<string> {
  if (url.username !== '' || url.password !== '') {
    throw new CommandError("a URL takes no password; use --header 'Authorization: Basic …'", { exitCode: 2 })
  }
  let response: Response
  try {
    // fetch() sends all headers but the known secret ones to another origin.
    const redirect = headers.length > 0 ? 'error' : 'follow'
    response = await fetch(url, { headers, redirect, signal: AbortSignal.timeout(patience) })
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
const patience = 30_000
