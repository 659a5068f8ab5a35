import type { Selection } from '../plan/plan.ts'

/** Returns the header row: the names of the selected fields (RFC 4180). */
export const csvHeader = (select: Selection) => csvLine(select.map(shown => shown.name))

/**
 * Returns one record (RFC 4180). An object or array becomes JSON text, null an empty field, and the empty string a
 * quoted field.
 */
export function csvLine (values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\r\n`
}

function csvField (value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quote(typeof value === 'string' ? disarm(value) : JSON.stringify(value))
}

// A reader may take `;` or a tab for the separator, as spreadsheets of some languages do.
const quote = (text: string) =>
  text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Puts an apostrophe before text that a spreadsheet would run as a formula (OWASP, CSV injection). */
const disarm = (text: string) => /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
