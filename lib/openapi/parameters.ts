import type { Collection } from '../model/model.ts'
import { operatorNames } from '../model/values.ts'
import { type ParameterKind, parameterOf, type Syntax } from '../request/syntax.ts'
import type { Describing } from './describing.ts'
import { filterableFields, sortableFields } from './filters.ts'
import { readableFields } from './items.ts'
import type { Parameter, Reference, Schema } from './objects.ts'

/** Returns the parameters of a listing, but for filters with a name of their own. */
export function listParameters (collection: Collection, describing: Describing): readonly Reference[] {
  return [
    ofCollection(collection, 'Where', describing, whereParameter),
    ofCollection(collection, 'Sort', describing, sortParameter),
    ...selectionParameters(collection, describing),
    ...pageParameters(describing)
  ]
}

/** Returns the parameter that selects fields; none in a profile without it. */
export function selectionParameters (collection: Collection, describing: Describing): readonly Reference[] {
  if (!describing.profile.selection) return []
  return [ofCollection(collection, 'Fields', describing, fieldsParameter)]
}

function ofCollection (
  collection: Collection,
  suffix: 'Where' | 'Sort' | 'Fields',
  describing: Describing,
  make: (collection: Collection, describing: Describing) => Parameter
): Reference {
  const { components, profile } = describing
  const parameter = () => make(collection, describing)
  return profile.compact
    ? components.parameter(suffix, parameter)
    : components.parameterOf(collection, suffix, parameter)
}

function fieldsParameter (collection: Collection, describing: Describing): Parameter {
  const names = readableFields(collection, describing).map(({ name }) => name)
  const grammar = 'Fields of related items stand in parentheses, as in `a,b(c,d;sort=c;limit=3)`.'
  const description = `The fields to show, separated by commas. ${grammar}${listOf(names, describing)}`
  return parameter('fields', describing, description, text)
}

const text: Schema = { type: 'string', minLength: 1 }

/** `where` is an array, because it can be repeated; all its filters must hold. */
function whereParameter (collection: Collection, describing: Describing): Parameter {
  const names = filterableFields(collection).map(({ name, type }) => `${name} (${type.kind})`)
  const grammar = 'Filters, all of which must hold: `field operator value`, or a group in parentheses with `|` (or), ' +
    '`,` (and) and `!( )` (not), such as `(a<5|a>60)`. A path such as `relation.field` reaches related items.'
  const description = `${grammar} Operators: ${operatorList(describing.syntax)}.${listOf(names, describing)}`
  const schema = { type: 'array', items: text }
  return { ...parameter('where', describing, description, schema), style: 'form', explode: true }
}

/** A string and not an array: some generators repeat the parameter for an array, whatever `explode` says. */
function sortParameter (collection: Collection, describing: Describing): Parameter {
  const names = sortableFields(collection).map(({ name }) => name)
  const grammar = 'The order: fields separated by commas, each with `asc` or `desc` after a space.'
  const description = `${grammar}${listOf(names, describing)}`
  return parameter('sort', describing, description, text)
}

function pageParameters (describing: Describing): readonly Reference[] {
  const { components, profile: { details }, syntax } = describing
  const shared = (kind: ParameterKind, description: string, schema: Schema, name = parameterOf(kind, syntax)) =>
    components.parameter(sharedName(kind), () => ({ ...parameter(kind, describing, description, schema), name }))
  const count = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
  return [
    ...details ? [shared('page', 'The number of the page, from 1.', { ...count, maximum: lastPage })] : [],
    shared('size', 'The number of items on a page.', count, details ? undefined : limitName(syntax)),
    shared('offset', 'The number of items to skip.', { ...count, minimum: 0 }),
    shared('after', 'The cursor of a `next` link.', text),
    ...details ? [shared('before', 'The cursor of a `prev` link.', text)] : []
  ]
}

// Its product with the size must be a safe integer.
const lastPage = 2 ** 31 - 1

const sharedName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

/** Language models know `limit` better than other names of a page's size. */
const limitName = ({ parameters }: Syntax): string =>
  parameters.get('limit') === 'size' ? 'limit' : [...parameters].find(([, kind]) => kind === 'size')?.[0] ?? 'size'

function parameter (kind: ParameterKind, { syntax }: Describing, description: string, schema: Schema): Parameter {
  return { name: parameterOf(kind, syntax), in: 'query', description, schema }
}

const listOf = (names: readonly string[], { profile }: Describing): string =>
  profile.compact ? '' : ` Fields: ${names.join(', ')}.`

const operatorList = ({ operators }: Syntax): string => operatorNames
  .flatMap(name => operators.filter(([, operator]) => operator === name).map(([spelling]) => spelling).slice(-1))
  .map(spelling => `\`${spelling}\``).join(' ')

/** The path parameter of an item. */
export const identifierParameter = (collection: Collection, { components }: Describing): Reference =>
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
  Return: ['Prefer', '`return=representation` answers with the item, `return=minimal` without a body.'],
  IfMatch: ['If-Match', 'The ETag that the item must have, so that no change is lost.']
} as const

/** Returns the header parameter of a component. */
export function header (component: keyof typeof headers, { components }: Describing): Reference {
  const [name, description] = headers[component]
  return components.parameter(component, () => ({ name, in: 'header', description, schema: { type: 'string' } }))
}
