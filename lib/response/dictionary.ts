import { after } from '../scheduling/after.ts'
import type { DataField } from '../model/model.ts'
import type { Selection, Row } from '../plan/plan.ts'
import type { Group } from '../sources/source.ts'
import { quote, writeInParts } from '../sources/json-text.ts'
import { itemWriter } from './item-writer.ts'
import { formatSegment } from './paths.ts'

/** Returns a dictionary of items by the value of an identifier, as JSON text (docs/http.md: URLs). */
export function renderDictionary (
  rows: readonly Row[], by: readonly DataField[], select: Selection, longest: number
): string | Promise<string> {
  const write = itemWriter(select)
  return renderMembers(rows, row => memberName(row, by), write, longest)
}

/** Returns the value of an identifier; for a key of several fields the segment that leads to the item. */
function memberName (row: Row, by: readonly DataField[]): string {
  const [only, other] = by
  if (only !== undefined && other === undefined) return String(row[only.property])
  return formatSegment(by.map(({ property }) => row[property]))
}

/** Returns a dictionary of arrays of items by the value that they share, as JSON text (docs/http.md: URLs). */
export function renderGroups (
  groups: readonly Group[], select: Selection, longest: number
): string | Promise<string> {
  const write = itemWriter(select)
  return renderMembers(groups, ({ value }) => String(value), ({ rows }) => `[${rows.map(write).join(',')}]`, longest)
}

/** Writes the members in their order: a JavaScript object would move names that are array indexes to the front. */
function renderMembers<T> (
  list: readonly T[], nameOf: (one: T) => string, write: (one: T) => string, longest: number
): string | Promise<string> {
  const members = (part: readonly T[]) => {
    // Of items that share a name, which an application's objects in memory may, the last is shown.
    const texts = new Map<string, string>()
    for (const one of part) texts.set(nameOf(one), write(one))
    let text = ''
    for (const [name, value] of texts) text += `${text === '' ? '' : ','}${quote(name)}:${value}`
    return text
  }
  return after(writeInParts(list, longest, members), text => `{${text}}`)
}
