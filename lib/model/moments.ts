/**
 * Returns a moment that a database or an application holds in another form as a client sees it, in UTC with three
 * digits of milliseconds. Returns undefined for a value that is no moment.
 *
 * | Value | Meaning |
 * |---|---|
 * | `2026-01-02 03:04:05`, `2026-01-02T03:04`, `2026-01-02` | UTC, as SQLite's own functions write it |
 * | `2026-01-02 03:04:05+05:30` | with a time zone |
 * | 1767323045 | seconds since 1970-01-01 |
 * | 1767323045678 | milliseconds since 1970-01-01: from 10^11 on, in either direction |
 */
export function toMoment (value: string | number): string | undefined {
  const text = typeof value === 'number' ? '' : isoText(value)
  if (text === undefined) return undefined
  const millis = typeof value === 'number' ? millisOf(value) : Date.parse(text)
  // The years that the wire knows, 1 to 9999.
  return millis >= firstMoment && millis <= lastMoment ? new Date(millis).toISOString() : undefined
}

const firstMoment = Date.parse('0001-01-01T00:00:00.000Z')
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z')

/** The number from which on an integer counts milliseconds. As seconds it is in the year 5138. */
export const firstMillis = 1e11

const millisOf = (value: number) => Math.round(Math.abs(value) < firstMillis ? value * 1000 : value)

const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?:(:\d\d)(\.\d{1,3})?\d*)? ?(Z|[+-]\d\d:\d\d)?)?$/

function isoText (text: string): string | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, day = '', minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match
  return `${day}T${minutes}${seconds}${fraction}${zone}`
}
