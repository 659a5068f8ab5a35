import { CommandError } from './terminal.ts'

/**
 * Returns the rows of a CSV text (RFC 4180), the names of the columns first. The delimiter is the one of `,` `;` tab
 * and `|` that the first line has most of. Throws a CommandError for a quote that is not closed, or closed too early.
 */
export function parseCsv (text: string, file: string): ReadonlyArray<readonly string[]> {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const delimiter = delimiterOf(source)
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < source.length) {
    const isQuoted = source[at] === '"'
    const end = isQuoted ? endOfQuoted(source, at, file, rows.length) : endOfPlain(source, at, delimiter)
    row.push(isQuoted ? source.slice(at + 1, end - 1).replaceAll('""', '"') : source.slice(at, end))
    const next = source[end]
    if (isQuoted && next !== undefined && ![delimiter, '\r', '\n'].includes(next)) {
      const found = `in row ${rows.length + 1}, '${next}' follows the end of a quoted value`
      throw new CommandError(`${file}: ${found}; write a quote inside of a value twice`)
    }
    at = end + (next === '\r' && source[end + 1] === '\n' ? 2 : 1)
    if (next === delimiter && at < source.length) continue
    if (next === delimiter) row.push('')
    // A line without anything is no row.
    if (row.length > 1 || row[0] !== '' || isQuoted) rows.push(row)
    row = []
  }
  return rows
}

function delimiterOf (text: string): string {
  const end = text.search(/[\r\n]/)
  // Names in quotes may hold any sign.
  const line = (end < 0 ? text : text.slice(0, end)).replaceAll(/"(?:[^"]|"")*"/g, '')
  const [best = ','] = [',', ';', '\t', '|'].map(sign => ({ sign, count: line.split(sign).length }))
    .toSorted((one, other) => other.count - one.count).map(({ sign }) => sign)
  return best
}

function endOfPlain (text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

function endOfQuoted (text: string, from: number, file: string, row: number): number {
  let at = from + 1
  for (;;) {
    at = text.indexOf('"', at)
    if (at < 0) throw new CommandError(`${file}: a quote that begins in row ${row + 1} is not closed`)
    if (text[at + 1] !== '"') return at + 1
    at += 2
  }
}
