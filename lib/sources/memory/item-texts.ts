import { memoizeFrozen } from '../../memoize.ts'
import type { DataField } from '../../model/model.ts'
import type { Selection, Shown } from '../../plan/plan.ts'
import { holdText, tick } from './clock.ts'
import { nestedItem, nestedList } from './nested.ts'
import { leaving, mapEach, resumed } from './suspension.ts'
import { type TextReader, textReaderOf } from './texts.ts'

/**
 * Returns a function that writes an item as JSON text, as JSON.stringify() would write it: the members of the selection
 * by their names on the wire. The function can be suspended. Returns undefined if code of the application computes a
 * part of the item, or if a member has an integer for its name, which JSON.stringify() would move to the front.
 */
export const itemTextOf = memoizeFrozen((select: Selection): TextReader | undefined =>
  isWritable(select) ? writerOf(select) : undefined)

/**
 * Returns a function that makes the JSON text of each member of a selection, or undefined as itemTextOf() does. The
 * function can be suspended.
 */
export const memberTextsOf = memoizeFrozen((select: Selection): ((row: object) => readonly string[]) | undefined => {
  if (!isWritable(select)) return undefined
  const readers = select.map(memberReader)
  if (isFlat(select)) return row => readers.map(read => read(row))
  return row => mapEach(readers, read => read(row))
})

const isFlat = (select: Selection) => select.every(({ kind }) => kind === 'value')

const isWritable = (select: Selection): boolean => select.every(shown => {
  if (/^\d+$/.test(shown.name)) return false
  if (shown.kind === 'value') return shown.field.kind !== 'computed'
  return isWritable(shown.kind === 'item' ? shown.select : shown.listing.select)
})

/** A member of an item. `before`: the text between the member before it and its value. */
interface Member { readonly before: string, readonly read: TextReader, readonly nested: boolean }

function writerOf (select: Selection): TextReader {
  const members = select.map((shown, index): Member => {
    const before = `${index === 0 ? '' : ','}${JSON.stringify(shown.name)}:`
    return { before, read: memberReader(shown), nested: shown.kind !== 'value' }
  })
  return isFlat(select) ? flatWriter(members) : nestingWriter(members)
}

function memberReader (shown: Shown): TextReader {
  switch (shown.kind) {
    // isWritable() has refused the computed fields.
    case 'value': return textReaderOf(shown.field as DataField)
    case 'item': {
      const read = nestedItem(shown, writerOf(shown.select))
      return row => read(row) ?? 'null'
    }
    case 'list': {
      const read = nestedList(shown, writerOf(shown.listing.select))
      return row => arrayOf(read(row))
    }
  }
}

/** Returns the text of an array of these texts. */
export function arrayOf (texts: readonly string[]): string {
  let text = '['
  for (let index = 0; index < texts.length; index++) text += index === 0 ? texts[index] : `,${texts[index]}`
  return `${text}]`
}

function flatWriter (members: readonly Member[]): TextReader {
  return row => {
    tick()
    let text = '{'
    for (const { before, read } of members) text += before + read(row)
    holdText(text.length)
    return `${text}}`
  }
}

/** An item that is being written. `index`: its next member. `nested`: the characters of its nested items. */
interface Writing { readonly text: string, readonly index: number, readonly nested: number }

function nestingWriter (members: readonly Member[]): TextReader {
  return row => {
    let { text, index, nested } = resumed<Writing>() ?? { text: '{', index: 0, nested: 0 }
    try {
      tick()
      for (; index < members.length; index++) {
        const member = members[index] as Member
        const value = member.read(row)
        text += member.before + value
        if (member.nested) nested += value.length
      }
      holdText(text.length - nested)
      return `${text}}`
    } catch (error) {
      throw leaving(error, { text, index, nested })
    }
  }
}
