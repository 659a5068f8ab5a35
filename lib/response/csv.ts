import type { ValueKind } from '../model/value-type.ts'
import type { Selection, Shown } from '../plan/plan.ts'

/** Returns the header row: the names of the selected fields (RFC 4180). */
export const csvHeader = (select: Selection) => csvLine(select.map(({ name }) => textField(name)))

/**
 * Returns a function that writes the record of an item (RFC 4180). An object or array becomes JSON text, null an empty
 * field, and the empty string a quoted field.
 */
export function csvRecords (select: Selection): (item: Readonly<Record<string, unknown>>) => string {
  // Not Object.values() of an item: JavaScript moves names in digits to the front.
  const columns = select.map(shown => ({ name: shown.name, write: holdsNumbers(shown) ? numberField : textField }))
  return item => csvLine(columns.map(({ name, write }) => write(item[name])))
}

const csvLine = (fields: readonly string[]) => `${fields.join(',')}\r\n`

const holdsNumbers = (shown: Shown) =>
  shown.kind === 'value' && shown.field.kind !== 'computed' && numeric.has(shown.field.type.kind)

const numeric: ReadonlySet<ValueKind> = new Set(['integer', 'number', 'int64', 'decimal'])

/** A number that is text, to be exact, is no formula: `-1.50`. */
const numberField = (value: unknown): string =>
  typeof value === 'string' && /^-\d[\d.]*$/.test(value) ? value : textField(value)

function textField (value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return quote(disarm(typeof value === 'string' ? value : JSON.stringify(value)))
}

// A reader may take `;` or a tab for the separator, as spreadsheets of some languages do.
const quote = (text: string) =>
  text === '' || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula (OWASP, CSV injection): at the start of a
 * field, and where a field starts for a reader with another separator. To such a reader quotes mean nothing unless the
 * record begins with them.
 */
const disarm = (text: string) =>
  text.replaceAll(/^(?=[=+\-@\t\r\n＝＋－＠])|(?=[=+\-@＝＋－＠])(?<=[;\t\r\n]"*)/g, "'")
