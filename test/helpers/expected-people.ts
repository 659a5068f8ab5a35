import { people, pets, type PersonRow, type PetRow } from '../fixtures/people.ts'
import type { Condition, Nested, Page, sortable, Value } from './arbitrary-queries.ts'

/** Returns the answer to a query of people. It is found as plainly as can be, by a look at each row. */
export function expected (query: {
  condition: Condition,
  sort: ReadonlyArray<{
    name: typeof sortable[number]
    descending: boolean
  }>,
  selection: readonly string[],
  nested: Nested | undefined,
  page: Page
}): string {
  const rows = people.filter(person => holds(query.condition, person)).sort((one, other) => {
    for (const { name, descending } of [...query.sort, { name: 'id' as const, descending: false }]) {
      const [a, b] = [valueAt(name, one), valueAt(name, other)]
      const sign = a === b ? 0 : a === null ? 1 : b === null ? -1 : compareValues(a, b)
      if (sign !== 0) return descending ? -sign : sign
    }
    return 0
  })
  const start = query.page.kind === 'page'
    ? (query.page.page - 1) * query.page.size
    : query.page.kind === 'offset'
      ? query.page.offset
      : 0
  const end = query.page.kind === 'page'
    ? start + query.page.size
    : query.page.kind === 'offset'
      ? start + query.page.limit
      : undefined
  return JSON.stringify(rows.slice(start, end).map(row => ({
    ...Object.fromEntries(query.selection.map(name => [name, row[name as keyof PersonRow]])),
    ...query.nested && { pets: showPets(row, query.nested) }
  })))
}

/** Returns the value that a path leads to; null without a boss. */
function valueAt (path: string, person: PersonRow | undefined): Value {
  if (person === undefined) return null
  const [name, ...rest] = path.split('.')
  const [of, called] = rest
  if (name === 'pets' && of !== 'count()') {
    const values = petsOf(person).map(pet => pet[of as 'id' | 'name']).toSorted(compareValues)
    return values.at(called === 'max()' ? -1 : 0) ?? null
  }
  if (name === 'pets') return petsOf(person).length
  return name === 'boss' ? valueAt(rest.join('.'), bossOf(person)[0]) : person[name as keyof PersonRow]
}

function showPets (person: PersonRow, { names, word, descending, limit }: Nested) {
  const found = petsOf(person).filter(pet => word === undefined || byCodePoint(pet.name, word) >= 0)
  const sorted = found.sort((one, other) => (descending ? byCodePoint(other.name, one.name) : 0) || one.id - other.id)
  return sorted.slice(0, limit).map(pet => Object.fromEntries(names.map(name => [name, pet[name as 'id' | 'name']])))
}

const petsOf = (person: PersonRow) => pets.filter(pet => pet.ownerId === person.id)
const bossOf = (person: PersonRow) => people.filter(one => one.id === person.bossId)

/** `row` is a person or, inside of a relation to pets, a pet. */
function holds (condition: Condition, row: PersonRow | PetRow): boolean {
  switch (condition.kind) {
    case 'all': return condition.of.every(one => holds(one, row))
    case 'any': return condition.of.some(one => holds(one, row))
    case 'not': return !holds(condition.of, row)
    case 'some': return (condition.relation === 'boss'
      ? bossOf(row as PersonRow)
      : petsOf(row as PersonRow)).some(one => holds(condition.of, one))
    case 'compare': return holdsOf(condition.path, row as PersonRow, value => compared(condition, value))
  }
}

function holdsOf (
  [name = '', ...path]: readonly string[], person: PersonRow, test: (value: Value) => boolean
): boolean {
  if (name === 'boss') return bossOf(person).some(boss => holdsOf(path, boss, test))
  if (name === 'pets' && path[0] === 'count()') return test(petsOf(person).length)
  if (name === 'pets' && path.length === 2) return test(valueAt(`pets.${path.join('.')}`, person))
  if (name === 'pets') return petsOf(person).some(pet => test(pet[path[0] as 'id' | 'name']))
  return test(person[name as keyof PersonRow])
}

function compared ({ operator, value }: Extract<Condition, { kind: 'compare' }>, one: Value): boolean {
  if (operator === '=*') return (value as readonly Value[]).includes(one)
  if (operator === '!=*') return !(value as readonly Value[]).includes(one)
  return meaning[operator]?.(one, value as Value) ?? false
}

const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const compareValues = (one: Value, other: Value) => typeof one === 'string' && typeof other === 'string'
  ? byCodePoint(one, other)
  : Number(one) - Number(other) || (one === other ? 0 : Number(one) < Number(other) ? -1 : 1)
const fold = (text: string) => Array.from(text,
  character => character.toLowerCase().length === character.length ? character.toLowerCase() : character).join('')
const both = (test: (one: string, other: string) => boolean) =>
  (one: Value, other: Value) => typeof one === 'string' && typeof other === 'string' && test(one, other)

const meaning: Record<string, (one: Value, other: Value) => boolean> = {
  '=': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>': (one, other) => one !== null && compareValues(one, other) > 0,
  '<': (one, other) => one !== null && compareValues(one, other) < 0,
  '>=': (one, other) => one !== null && compareValues(one, other) >= 0,
  '<=': (one, other) => one !== null && compareValues(one, other) <= 0,
  '^=': both((one, other) => one.startsWith(other)),
  '$=': both((one, other) => one.endsWith(other)),
  '*=': both((one, other) => one.includes(other)),
  '~=': both((one, other) => fold(one) === fold(other)),
  '^~=': both((one, other) => fold(one).startsWith(fold(other))),
  '$~=': both((one, other) => fold(one).endsWith(fold(other))),
  '*~=': both((one, other) => fold(one).includes(fold(other)))
}
