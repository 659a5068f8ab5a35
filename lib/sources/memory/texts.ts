import { memoizeFrozen } from '../../memoize.ts'
import type { Selection, Shown } from '../../plan/plan.ts'
import { textOf } from '../json-text.ts'
import { holdText, tick } from './clock.ts'
import { hasComputed, memberReaderOf } from './projections.ts'
import { inTurn, leaving, mapEach, resumed } from './suspension.ts'

/**
 * Returns a function that makes the JSON text of each member of a selection. Returns undefined if code of the
 * application computes a part of it, or if a member has an integer for its name, which JSON.stringify() would move to
 * the front. The function can be suspended.
 */
export const textsOf = memoizeFrozen((select: Selection): ((row: object) => readonly string[]) | undefined => {
  if (hasComputed(select) || select.some(({ name }) => /^\d+$/.test(name))) return undefined
  const writers = select.map(writerOf)
  if (select.every(({ kind }) => kind === 'value')) return row => writers.map(write => write(row))
  return row => mapEach(writers, write => write(row))
})

type WriteMember = (row: object) => string

function writerOf (shown: Shown): WriteMember {
  const read = memberReaderOf(shown)
  if (shown.kind !== 'list') return row => textOf(read(row))
  return row => inTurn(() => read(row) as readonly unknown[], writeList)
}

/** Returns the JSON text of a list. Can be suspended. */
function writeList (list: readonly unknown[]): string {
  let { text, index } = resumed<{ text: string, index: number }>() ?? { text: '', index: 0 }
  try {
    for (; index < list.length; index++) {
      tick()
      text += `${index === 0 ? '' : ','}${JSON.stringify(list[index])}`
      holdText(text.length)
    }
    return `[${text}]`
  } catch (error) {
    throw leaving(error, { text, index })
  }
}
