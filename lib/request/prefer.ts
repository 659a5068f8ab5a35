/**
 * The preferences of a request by lower-case name (RFC 7240): `name`, `name=token` or `name="quoted"`, between commas, on one line or several.
 * The first of a name counts; parameters after a `;` and what is no preference are passed over, as the RFC asks.
 */
export function parsePrefer (header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  if (header === undefined) return preferences
  for (const part of [header].flat().join(',').split(',')) {
    const [preference = ''] = part.split(';', 1)
    const [name = '', ...value] = preference.split('=')
    const key = name.trim().toLowerCase()
    if (key !== '' && !preferences.has(key)) preferences.set(key, unquote(value.join('=').trim()))
  }
  return preferences
}

const unquote = (value: string) => value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
