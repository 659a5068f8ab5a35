import { splitUnquoted } from './unquoted.ts'

/**
 * Parses the preferences of a request, by lower-case name (RFC 7240): `name`, `name=token` or `name="quoted"`,
 * separated by commas, in one header line or several. The first preference of a name counts. Parameters after a `;`
 * and texts that are not preferences are ignored, as the RFC asks.
 */
export function parsePrefer (header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  if (header === undefined) return none
  const preferences = new Map<string, string>()
  for (const part of [header].flat().flatMap(line => splitUnquoted(line, ','))) {
    const [preference = ''] = splitUnquoted(part, ';')
    const equals = preference.indexOf('=')
    const name = (equals < 0 ? preference : preference.slice(0, equals)).trim().toLowerCase()
    const value = equals < 0 ? '' : readWord(preference.slice(equals + 1).trim())
    if (value !== undefined && name !== '' && token.test(name) && !preferences.has(name)) preferences.set(name, value)
  }
  return preferences
}

const none: ReadonlyMap<string, string> = new Map()

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/
const quotedString = /^"(?:[^"\\]|\\.)*"$/

function readWord (text: string): string | undefined {
  if (quotedString.test(text)) return text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  return token.test(text) ? text : undefined
}
