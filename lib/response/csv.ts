import type { Selection } from '../plan/plan.ts'

/** The header row: the names of what is shown (RFC 4180). */
export const csvHeader = (select: Selection) => csvLine(select.map(shown => shown.name))

/** One record. A value that is an object or an array stands as JSON text; null is an empty field, the empty string a quoted one. */
export function csvLine (values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`
}

function csvField (value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quote(typeof value === 'string' ? disarm(value) : JSON.stringify(value))
}

const quote = (text: string) => text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A spreadsheet runs text that begins like a formula; behind an apostrophe it is text (OWASP, CSV injection). */
const disarm = (text: string) => /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
