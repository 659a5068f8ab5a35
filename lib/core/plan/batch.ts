// What a write means is this room's to say, also where one place asks for it.
import type { Collection } from '../model/model.ts'
import type { WritePlan } from './plan.ts'
import type { Element, ItemBody } from './write/item-body.ts'
import type { Write } from './write/write.ts'

/** Returns the collection of the one item that a write creates or writes; undefined for other writes. */
export function namedCollection ({ plan, scalar }: Write): Collection | undefined {
  switch (plan.kind) {
    case 'create': return plan.many ? undefined : plan.from.collection
    case 'link': return plan.many ? undefined : plan.collection
    case 'update': return scalar ? undefined : plan.collection
    default: return undefined
  }
}

export function countItems (plan: WritePlan): number {
  switch (plan.kind) {
    case 'create': return sum(plan.bodies.all().map(countIn))
    case 'update': return countIn(plan.body)
    case 'many': return plan.one.kind === 'update' ? countIn(plan.one.body) : 0
    case 'each': return sum(plan.updates.map(({ body }) => countIn(body)))
    case 'link': return sum(plan.elements.map(countElement))
    default: return 0
  }
}

function countIn ({ assignments }: ItemBody): number {
  return 1 + sum(assignments.map(one =>
    one.kind === 'item' ? countElement(one.element) : one.kind === 'list' ? sum(one.elements.map(countElement)) : 0))
}

function countElement (element: Element | null): number {
  if (element === null) return 0
  return element.created === undefined ? 1 : countIn(element.created)
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)
