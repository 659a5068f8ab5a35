import type { Context, Found } from '../collection.ts'
import type { Collection, FieldIdentifier, Identifier, LookupIdentifier, SpecialIdentifier } from '../model/model.ts'
import type { Scalar } from '../model/values.ts'
import { memoize } from '../memoize.ts'
import type { Preset, Predicate } from './plan.ts'
import { all, any, equals, never } from './predicates.ts'

/** The ways in which one identifier may match a segment. */
export interface Alternative { readonly identifier: string, readonly where: Predicate }

/** What one URL segment may stand for: the predicate that the item satisfies, and by which identifiers. */
export interface Identified {
  readonly where: Predicate
  readonly alternatives: readonly Alternative[]
  /** Whether a special identifier matched: the segment is then not the item's own. */
  readonly special: boolean
  /** The value that an item created under this segment would have: of the first identifier that is a field and takes it. */
  readonly given: Preset | undefined
}

/** A segment searched in all of a collection's identifiers, special ones first (docs/http.md: Identifiers). A promise where the application is asked. */
export function identify (segment: string, collection: Collection, context: Context): Identified | Promise<Identified> {
  const special = collection.specials.find(one => one.segment === segment)
  if (special !== undefined) return matchSpecial(special, collection, context).then(where => ({ where, alternatives: [], special: true, given: undefined }))
  const identifiers = usable(collection)
  if (identifiers.some(one => one.kind === 'lookup')) return lookUp(identifiers, segment, collection, context)
  return identified(identifiers, identifiers.map(one => one.kind === 'lookup' ? never : matchField(one, segment)), segment)
}

/** Lookups are asked one after the other. */
async function lookUp (identifiers: readonly Identifier[], segment: string, collection: Collection, context: Context): Promise<Identified> {
  const wheres: Predicate[] = []
  for (const identifier of identifiers) wheres.push(await match(identifier, segment, collection, context))
  return identified(identifiers, wheres, segment)
}

function identified (identifiers: readonly Identifier[], wheres: readonly Predicate[], segment: string): Identified {
  const alternatives: Alternative[] = []
  let given: Preset | undefined
  for (const [index, identifier] of identifiers.entries()) {
    const where = wheres[index] ?? never
    if (where !== never) alternatives.push({ identifier: identifier.name, where })
    given ??= givenBy(identifier, segment)
  }
  return { where: any(alternatives.map(one => one.where)), alternatives, special: false, given }
}

/** A segment searched in one identifier only: `/by_<identifier>/<value>`. */
export function identifyBy (identifier: Identifier, segment: string, collection: Collection, context: Context): Identified | Promise<Identified> {
  const made = (where: Predicate): Identified => ({ where, alternatives: [], special: false, given: givenBy(identifier, segment) })
  const where = match(identifier, segment, collection, context)
  return where instanceof Promise ? where.then(made) : made(where)
}

function givenBy (identifier: Identifier, segment: string): Preset | undefined {
  if (identifier.kind === 'lookup') return undefined
  const value = identifier.field.type.parse(segment)
  return value === undefined ? undefined : { field: identifier.field, value }
}

/** The identifier of that name, where a client may use it. */
export const findIdentifier = (collection: Collection, name: string): Identifier | undefined => usable(collection).find(one => one.name === name)

// To find an item by a field that must not be read would tell its value.
const usable = memoize((collection: Collection) => collection.identifiers.filter(one => one.kind === 'lookup' || one.field.readable))

function match (identifier: Identifier, segment: string, collection: Collection, context: Context): Predicate | Promise<Predicate> {
  return identifier.kind === 'lookup' ? matchLookup(identifier, segment, collection, context) : matchField(identifier, segment)
}

function matchField ({ field }: FieldIdentifier, segment: string): Predicate {
  const value = field.type.parse(segment)
  return value === undefined ? never : equals(field, value)
}

async function matchLookup (identifier: LookupIdentifier, segment: string, collection: Collection, context: Context): Promise<Predicate> {
  const value = identifier.type.parse(segment)
  if (value === undefined) return never
  // The value is one of the type that the lookup declares, as parse() has just proved.
  return having(await identifier.find(value as never, context), collection, `lookup '${identifier.name}'`)
}

async function matchSpecial (special: SpecialIdentifier, collection: Collection, context: Context): Promise<Predicate> {
  return having(await special.find(context), collection, `identifier '${special.segment}'`)
}

/** The items that have the values found; by their key alone where it is among them, so that an item found is that item. */
function having (found: Found<Record<string, unknown>>, collection: Collection, by: string): Predicate {
  if (found === undefined || found === null) return never
  const { key } = collection
  const keyValue = found[key.property]
  if (isScalar(keyValue)) return equals(key, keyValue)
  const terms = Object.entries(found).filter(([, value]) => value !== undefined).map(([property, value]) => {
    const field = collection.properties.get(property)
    if (field?.kind !== 'stored' || !(value === null || isScalar(value))) throw new TypeError(`collection '${collection.property}', ${by}: returned '${property}', which is not a scalar value of a stored field`)
    return equals(field, value)
  })
  if (terms.length === 0) throw new TypeError(`collection '${collection.property}', ${by}: returned an object without values; return undefined or null when there is no item`)
  return all(terms)
}

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)
