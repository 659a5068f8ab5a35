import { memoize, memoizeFrozen } from '../../memoize.ts'
import type { DataField } from '../../model/model.ts'
import type { Row, Selection, Shown } from '../../plan/plan.ts'
import { tick } from './clock.ts'
import { type Make, nestedItem, nestedList } from './nested.ts'
import { leaving, resumed } from './suspension.ts'
import { type Reader, readerOf } from './values.ts'

/** Makes a row of an object. */
export type Project = Make<Row>

/** Returns a function that makes a row of an object: the fields that the selection needs, by property. */
export const projectionOf = (select: Selection, extra: readonly DataField[] = none): Project =>
  rowProjections(select)(extra)

const none: readonly DataField[] = Object.freeze([])

const rowProjections = memoizeFrozen((select: Selection) => memoize((extra: readonly DataField[]): Project =>
  maker([...extra.map(member), ...membersOf(select)])))

interface Member { readonly name: string, readonly read: Reader }

const member = (field: DataField): Member => ({ name: field.property, read: readerOf(field) })

/** A computed field is made later from the fields that it needs. */
const membersOf = (select: Selection): readonly Member[] => select.flatMap(shown =>
  shown.kind === 'value' && shown.field.kind === 'computed'
    ? shown.field.from.map(member)
    : [{ name: shown.field.property, read: memberReader(shown) }])

function memberReader (shown: Shown): Reader {
  switch (shown.kind) {
    case 'list': return nestedList(shown, projectionOf(shown.listing.select))
    case 'item': return nestedItem(shown, projectionOf(shown.select))
    // membersOf() has taken the computed fields.
    case 'value': return readerOf(shown.field as DataField)
  }
}

/** An object that is being made. `index`: its next member. */
interface Making { readonly made: Record<string, unknown>, readonly index: number }

/**
 * All objects that the function makes are copies of one empty object, so that they share a hidden class. The function
 * can be suspended.
 */
function maker (members: readonly Member[]): Project {
  const empty: Readonly<Record<string, unknown>> = Object.fromEntries(members.map(({ name }) => [name, null]))
  return row => {
    let { made, index } = resumed<Making>() ?? { made: { ...empty }, index: 0 }
    try {
      tick()
      for (; index < members.length; index++) {
        const { name, read } = members[index] as Member
        made[name] = read(row)
      }
      return made
    } catch (error) {
      throw leaving(error, { made, index })
    }
  }
}
