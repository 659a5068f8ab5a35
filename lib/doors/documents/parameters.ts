import type { CollectionView } from '../../core/api/face.ts'
import { operatorNames } from '../../core/model/operators.ts'
import { parameterOf, type Syntax } from '../../core/request/syntax.ts'
import { memoize } from '../../core/scheduling/memoize.ts'
import {
  type Describing, holds, type Need, type OnCollection, type OnFields, type OnRoot, type Piece, when
} from './needs.ts'
import { filterParameters } from './filters.ts'
import { readableFields } from './items.ts'
import type { Parameter, Parameters, SchemaReference, Schema } from './objects.ts'
import { valueFields } from './value-schema.ts'

// The parameters that operations take (operations.ts).

type Taken<On = OnCollection> = Piece<On, Parameters>

/** Filters of related items go through `where`: a parameter for each would make the document unreadable. */
export const filters: Taken = when(['namedFilters', 'direct'], (on, { face: { syntax } }) => filtersOn(on)(syntax))

// GET and QUERY have the same ones.
const filtersOn = memoize((on: OnCollection) => memoize((syntax: Syntax) => filterParameters(on.collection, syntax)))

const ofCollection = (
  kind: Kind, make: (collection: CollectionView, describing: Describing) => Parameter
): Taken => ({ collection }, describing) =>
  [refer(kind, collection, describing, describing.profile.compact === true, () => make(collection, describing))]

const ofPage = (kind: Kind, description: string, schema: Schema): Taken => ({ collection }, describing) =>
  [refer(kind, collection, describing, true, () => parameter(kind, collection, describing, description, schema))]

/** Returns a reference to a parameter: of all collections if it is `shared`, unless a field has its name here. */
function refer (
  kind: Kind, collection: CollectionView, describing: Describing, shared: boolean, make: () => Parameter
): SchemaReference {
  const { components, face } = describing
  const suffix = suffixOf(kind)
  const isUsual = nameOf(kind, collection.syntax, describing) === nameOf(kind, face.syntax, describing)
  return shared && isUsual ? components.parameter(suffix, make) : components.parameterOf(collection, suffix, make)
}

/** The kinds of parameters that a document names. */
type Kind = 'where' | 'sort' | 'fields' | 'page' | 'size' | 'offset' | 'after' | 'before'

const suffixOf = (kind: Kind) => kind.slice(0, 1).toUpperCase() + kind.slice(1) as Capitalize<Kind>

/** Language models know `limit` better than other names of a page's size. */
const nameOf = (kind: Kind, syntax: Syntax, { profile: { details } }: Describing): string =>
  !details && kind === 'size' && syntax.parameters.get('limit') === kind ? 'limit' : parameterOf(kind, syntax)

function fieldsParameter (collection: CollectionView, describing: Describing): Parameter {
  const names = readableFields(collection, describing).map(({ name }) => name)
  const grammar = 'Fields of related items stand in parentheses, as in `a,b(c,d;sort=c;limit=3)`; ' +
    '`b.count()` counts them, `b.mass.max()` is the greatest of theirs. Functions of the items make groups, as in ' +
    '`kind,count(),mass.sum()`: count, count_distinct, sum, avg, min, max; a unit of time such as `born.year()` ' +
    'groups as a field does.'
  const description = `The fields to show, separated by commas. ${grammar}${listOf(names, describing)}`
  return parameter('fields', collection, describing, description, text)
}

/** `where` is an array, because it can be repeated; all its filters must hold. */
function whereParameter (collection: CollectionView, describing: Describing): Parameter {
  const names = valueFields(collection).filter(({ filterable, comparesNull }) => filterable || comparesNull)
    .map(({ name, values, comparesNull }) => `${name} (${comparesNull ? 'null' : values})`)
  const grammar = 'Filters, all of which must hold: `field operator value`, or a group in parentheses with `|` (or), ' +
    '`,` (and) and `!( )` (not), such as `(a<5|a>60)`. A path such as `relation.field` reaches related items; ' +
    '`relation.count()>2` counts them, `relation.field.sum()>2` adds them up. In a request of groups, `count()>5` ' +
    'is a condition of groups.'
  const description = `${grammar} Operators: ${operatorList(describing.face.syntax)}.${listOf(names, describing)}`
  const schema = { type: 'array', items: text }
  return { ...parameter('where', collection, describing, description, schema), style: 'form', explode: true }
}

/** A string and not an array: some generators repeat the parameter for an array, whatever `explode` says. */
function sortParameter (collection: CollectionView, describing: Describing): Parameter {
  const names = valueFields(collection).filter(({ sortable }) => sortable).map(({ name }) => name)
  const grammar = 'The order: fields separated by commas, each with `asc` or `desc` after a space. ' +
    'A path such as `relation.field` leads through sub-items; `relation.count()` is a number of items, ' +
    '`relation.field.max()` the greatest value, and so are the other functions.'
  const description = `${grammar}${listOf(names, describing)}`
  return parameter('sort', collection, describing, description, text)
}

function parameter (
  kind: Kind, collection: CollectionView, describing: Describing, description: string, schema: Schema
): Parameter {
  return { name: nameOf(kind, collection.syntax, describing), in: 'query', description, schema }
}

const listOf = (names: readonly string[], { profile }: Describing): string =>
  profile.compact ? '' : ` Fields: ${names.join(', ')}.`

const operatorList = ({ operators }: Syntax): string => operatorNames
  .flatMap(name => operators.filter(([, operator]) => operator === name).map(([spelling]) => spelling).slice(-1))
  .map(spelling => `\`${spelling}\``).join(' ')

/** The path parameter of an item. */
export const identifierParameter = (collection: CollectionView, { components }: Describing): SchemaReference =>
  components.parameterOf(collection, 'Identifier', () => ({
    name: 'identifier',
    in: 'path',
    required: true,
    description: `The item's identifier: ${collection.identifiers.map(({ name }) => name).join(' or ')}.`,
    schema: { type: 'string' }
  }))

/** The path parameter of one of these fields. */
export const field: Taken<OnFields> = ({ fields }) => [{
  name: 'field',
  in: 'path',
  required: true,
  description: 'The field.',
  schema: { type: 'string', enum: fields.map(({ name }) => name) }
}]

const text: Schema = { type: 'string', minLength: 1 }
const count = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
// Its product with the size must be a safe integer.
const lastPage = 2 ** 31 - 1

export const where = ofCollection('where', whereParameter)
export const fields = when(['selection'], ofCollection('fields', fieldsParameter))

/** The parameters of a listing, but for filters with a name of their own. */
export const listing: readonly Taken[] = [
  where,
  ofCollection('sort', sortParameter),
  fields,
  when(['details'], ofPage('page', 'The number of the page, from 1.', { ...count, maximum: lastPage })),
  ofPage('size', 'The number of items on a page.', count),
  ofPage('offset', 'The number of items to skip.', { ...count, minimum: 0 }),
  ofPage('after', 'The cursor of a `next` link.', text),
  when(['details'], ofPage('before', 'The cursor of a `prev` link.', text))
]

const header = (component: string, name: string, description: string): Taken<OnRoot> =>
  when(['details'], (_, { components }) =>
    [components.parameter(component, () => ({ name, in: 'header', description, schema: { type: 'string' } }))])

export const ifNoneMatch = header('IfNoneMatch', 'If-None-Match', 'The ETag of the representation that the client has.')
export const ifMatch = header('IfMatch', 'If-Match', 'The ETag that the item must have, so that no change is lost.')
export const onlyCreate =
  when(['upserts'], header('OnlyCreate', 'If-None-Match', '`*` only creates, and changes no item.'))
export const idempotencyKey = when(['takesKeys'], header('IdempotencyKey', 'Idempotency-Key',
  'A new text for each write; sent again with the same one, it is done once.'))

/** What a preference says, and what an operation needs to take it (docs/http.md: Writing). */
const preferences = {
  Count: { says: '`count=exact` counts all items.', needs: [] },
  Affected: { says: '`max-affected=10` refuses to write more items than that.', needs: [] },
  Merge: {
    says: '`resolution=merge` updates those items of an import that exist, `resolution=ignore` leaves them.',
    needs: ['imports', 'upsertsEach']
  },
  Shown: { says: '`return=representation` answers with the item.', needs: ['selection'] },
  Silent: { says: '`return=minimal` answers without a body.', needs: [] },
  Tried: { says: '`dry-run` writes nothing.', needs: ['tries'] }
} as const satisfies Readonly<Record<string, { readonly says: string, readonly needs: readonly Need[] }>>

/** Returns the header `Prefer` of these preferences, as far as the operation takes them. */
const prefer = (...names: ReadonlyArray<keyof typeof preferences>): Taken<OnRoot> => (on, describing) => {
  const taken = names.filter(name => preferences[name].needs.every(need => holds(need, on, describing)))
  if (taken.length === 0) return undefined
  const says = taken.map(name => preferences[name].says).join(' ')
  return header(`Prefer${taken.join('')}`, 'Prefer', says)(on, describing)
}

export const withCount = prefer('Count')
export const returned = prefer('Shown', 'Silent', 'Tried')
export const acknowledged = prefer('Silent', 'Tried')
export const deletedMany = prefer('Affected', 'Silent', 'Tried')
const updatedMany = prefer('Affected', 'Shown', 'Silent', 'Tried')
const createdIn = prefer('Merge', 'Shown', 'Silent', 'Tried')

/** The identifier by which the lines of an import name items. */
const by: Taken = when(['imports', 'upsertsEach', 'details'], ({ collection }, { components }) => [
  components.parameterOf(collection, 'By', () => ({
    name: 'by',
    in: 'query',
    description: 'The identifier by which a line of an import with `resolution` names its item; default: the key.',
    schema: {
      type: 'string', enum: collection.identifiers.flatMap(({ name, fields }) => fields === undefined ? [] : [name])
    }
  }))
])

/** A write can show what it wrote, so it takes a selection. */
const shownFields: Taken = when(['details'], fields)
export const returnedFields: readonly Taken[] = [shownFields, returned]
export const creation: readonly Taken[] = [shownFields, by, createdIn]
export const updateOfMany: readonly Taken[] = [filters, where, shownFields, updatedMany]
