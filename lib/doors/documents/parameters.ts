import type { CollectionView } from '../../core/api/face.ts'
import { operatorNames } from '../../core/model/operators.ts'
import { parameterOf, type Syntax } from '../../core/request/syntax.ts'
import type { Describing } from './describing.ts'
import { readableFields } from './items.ts'
import type { Parameter, Reference, Schema } from './objects.ts'
import { valuesOf } from './values.ts'

/** Returns the parameters of a listing, but for filters with a name of their own. */
export function listParameters (collection: CollectionView, describing: Describing): readonly Reference[] {
  return [
    ofCollection(collection, 'where', describing, whereParameter),
    ofCollection(collection, 'sort', describing, sortParameter),
    ...selectionParameters(collection, describing),
    ...pageParameters(collection, describing)
  ]
}

/** Returns the parameter that selects fields; none in a profile without it. */
export function selectionParameters (collection: CollectionView, describing: Describing): readonly Reference[] {
  if (!describing.profile.selection) return []
  return [ofCollection(collection, 'fields', describing, fieldsParameter)]
}

function ofCollection (
  collection: CollectionView,
  kind: 'where' | 'sort' | 'fields',
  describing: Describing,
  make: (collection: CollectionView, describing: Describing) => Parameter
): Reference {
  return refer(kind, collection, describing, describing.profile.compact, () => make(collection, describing))
}

/** Returns a reference to a parameter: of all collections if it is `shared`, unless a field has its name here. */
function refer (
  kind: Kind, collection: CollectionView, describing: Describing, shared: boolean, make: () => Parameter
): Reference {
  const { components, face } = describing
  const suffix = suffixes[kind]
  const isUsual = nameOf(kind, collection.syntax, describing) === nameOf(kind, face.syntax, describing)
  return shared && isUsual ? components.parameter(suffix, make) : components.parameterOf(collection, suffix, make)
}

const suffixes = {
  where: 'Where',
  sort: 'Sort',
  fields: 'Fields',
  page: 'Page',
  size: 'Size',
  offset: 'Offset',
  after: 'After',
  before: 'Before'
} as const

/** The kinds of parameters that a document names. */
type Kind = keyof typeof suffixes

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

const text: Schema = { type: 'string', minLength: 1 }

/** `where` is an array, because it can be repeated; all its filters must hold. */
function whereParameter (collection: CollectionView, describing: Describing): Parameter {
  const names = valuesOf(collection).filter(({ filterable }) => filterable)
    .map(({ name, values }) => `${name} (${values})`)
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
  const names = valuesOf(collection).filter(({ sortable }) => sortable).map(({ name }) => name)
  const grammar = 'The order: fields separated by commas, each with `asc` or `desc` after a space. ' +
    'A path such as `relation.field` leads through sub-items; `relation.count()` is a number of items, ' +
    '`relation.field.max()` the greatest value, and so are the other functions.'
  const description = `${grammar}${listOf(names, describing)}`
  return parameter('sort', collection, describing, description, text)
}

function pageParameters (collection: CollectionView, describing: Describing): readonly Reference[] {
  const { details } = describing.profile
  const shared = (kind: Kind, description: string, schema: Schema) =>
    refer(kind, collection, describing, true, () => parameter(kind, collection, describing, description, schema))
  const count = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
  return [
    ...details ? [shared('page', 'The number of the page, from 1.', { ...count, maximum: lastPage })] : [],
    shared('size', 'The number of items on a page.', count),
    shared('offset', 'The number of items to skip.', { ...count, minimum: 0 }),
    shared('after', 'The cursor of a `next` link.', text),
    ...details ? [shared('before', 'The cursor of a `prev` link.', text)] : []
  ]
}

// Its product with the size must be a safe integer.
const lastPage = 2 ** 31 - 1

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
export const identifierParameter = (collection: CollectionView, { components }: Describing): Reference =>
  components.parameterOf(collection, 'Identifier', () => ({
    name: 'identifier',
    in: 'path',
    required: true,
    description: `The item's identifier: ${collection.identifiers.map(({ name }) => name).join(' or ')}.`,
    schema: { type: 'string' }
  }))

const headers = {
  IfNoneMatch: ['If-None-Match', 'The ETag of the representation that the client has.'],
  Count: ['Prefer', '`count=exact` counts all items.'],
  Return: ['Prefer', '`return=representation` answers with the item, `return=minimal` without a body. ' +
    '`dry-run` writes nothing.'],
  MaxAffected: ['Prefer', '`max-affected=10` refuses to write more items than that; `return=` as for one item.'],
  IfMatch: ['If-Match', 'The ETag that the item must have, so that no change is lost.'],
  IdempotencyKey: ['Idempotency-Key', 'A new text for each write; sent again with the same one, it is done once.']
} as const

/** Returns the header parameter of a component. */
export function header (component: keyof typeof headers, { components }: Describing): Reference {
  const [name, description] = headers[component]
  return components.parameter(component, () => ({ name, in: 'header', description, schema: { type: 'string' } }))
}
