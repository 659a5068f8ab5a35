import { operatorWords } from '../data/where.ts'
import type { Predicate } from '../plan/plan.ts'
import { type Code, objectOf } from './client-print.ts'

type Where = ReadonlyMap<string, Code>

/** Returns a predicate as a `where` of the client (docs/client.md: Filters). */
export function whereOf (predicate: Predicate): Where {
  switch (predicate.kind) {
    case 'compare': {
      const { field: { name }, operator, value } = predicate
      const word = operatorWords[operator]
      return objectOf({ [name]: word === 'eq' ? value : objectOf({ [word]: value }) })
    }
    case 'some': return objectOf({ [predicate.field.name]: plainly(whereOf(predicate.where)) })
    case 'all': return together(predicate.of.map(whereOf))
    case 'any': return objectOf({ or: predicate.of.map(whereOf) })
    case 'not': return objectOf({ not: plainly(whereOf(predicate.of)) })
  }
}

/** Returns conditions as one object, or as a list where two have one name. */
function together (conditions: readonly Where[]): Where {
  const members = conditions.flatMap(condition => [...condition])
  const merged = new Map(members)
  return merged.size === members.length ? merged : objectOf({ and: conditions })
}

/** An object whose members are all called like operators would be a comparison. */
const plainly = (where: Where): Where =>
  where.size > 0 && [...where.keys()].every(name => spelled.has(name)) ? objectOf({ and: [where] }) : where

const spelled: ReadonlySet<string> = new Set(Object.values(operatorWords))
