import { type Static, type TObject, Type } from '@sinclair/typebox'

const name = Type.String({ minLength: 1 })
const names = (description: string) => Type.Optional(Type.Array(name, { description }))
/** For parameters that links use: they need at least one name. */
const linkNames = (description: string) => Type.Optional(Type.Array(name, { minItems: 1, description }))
const limit = (description: string, bounds: { readonly maximum?: number } = {}) =>
  Type.Optional(Type.Integer({ minimum: 1, ...bounds, description }))
const group = <T extends TObject['properties']>(properties: T) =>
  Type.Optional(Type.Object(properties, { additionalProperties: false }))

/** The syntax of query strings. The defaults are those of docs/http.md: Query strings. */
export const queryStringOptions = Type.Object({
  /** Parameters that hold a filter. Default `where`, `filter`. */
  where: names('parameters that hold a filter'),
  /** Parameters that hold a sort order. Default `sort`, `order`, `orderby`. */
  sort: names('parameters that hold a sort order'),
  /** Parameters that hold a selection. Default `fields`, `select`. */
  fields: names('parameters that hold a selection'),
  /** Parameters that hold a page's number, from 1. Default `page`. */
  page: names("parameters that hold a page's number"),
  /** Parameters that hold a page's size, in items. Default `size`, `limit`, `take`. */
  size: names("parameters that hold a page's size"),
  /** Parameters that hold the number of items to skip. Default `offset`, `skip`. */
  offset: names('parameters that hold the number of items to skip'),
  /** Parameters that hold the cursor after which a page begins. Default `after`. */
  after: linkNames('parameters that hold the cursor after which a page begins'),
  /** Parameters that hold the cursor before which a page ends. Default `before`. */
  before: linkNames('parameters that hold the cursor before which a page ends'),
  /** Parameters that hold the format of the answer: `json`, `csv` or `ndjson`. Default `format`. */
  format: names('parameters that hold the format of the answer'),
  /** Names of parameters to ignore; `utm_*` stands for all that begin with `utm_`. Default none. */
  ignore: Type.Optional(Type.Array(Type.String({ pattern: '^[^*=&]+\\*?$' }))),
  /** The spellings of each operator. */
  operators: group({
    equals: names('default `=`, `==`'),
    not_equals: names('default `!=`, `!==`, `<>`'),
    greater: names('default `>`'),
    less: names('default `<`'),
    at_least: names('default `>=`'),
    at_most: names('default `<=`'),
    in: names('default `=*`'),
    not_in: names('default `!=*`'),
    starts_with: names('default `^=`'),
    ends_with: names('default `$=`'),
    contains: names('default `*=`'),
    equals_ignoring_case: names('default `~=`'),
    starts_with_ignoring_case: names('default `^~=`'),
    ends_with_ignoring_case: names('default `$~=`'),
    contains_ignoring_case: names('default `*~=`')
  }),
  /** Single characters that separate the parts of a parameter. */
  delimiters: group({
    list: names('between the values of an `in`; default `,`, `;`'),
    sort: names('between the terms of a sort order; default `,`, `;`'),
    direction: names('between a field and its direction; default a space, `+`, `:`'),
    fields: names('between the names of a selection; default `,`, `;`, `+`, a space')
  }),
  /** The words for sort directions. */
  directions: group({
    ascending: names('default `asc`, `ascending`'),
    descending: names('default `desc`, `descending`')
  }),
  /** Whether a parameter of any other name is a filter, as in `?age>5`. Default true. */
  fieldParameters: Type.Optional(Type.Boolean()),
  /** The prefix of a segment that asks for a dictionary. Default `by_`. */
  dictionaryPrefix: Type.Optional(Type.String({ minLength: 1 })),
  /** Limits of one request; beyond them is 400. */
  limits: group({
    // Each level is a nested call, and the stack is finite.
    depth: limit(
      'levels of nested groups or selections, and relations in one path; default 5, at most 100', { maximum: 100 }
    ),
    terms: limit('comparisons in all filters together; default 100'),
    cost: limit('work of all filters for one item, in comparisons: a relation to many multiplies it; default 1000'),
    listLength: limit('values of an `in`; default 1000'),
    listValues: limit('values of all lists together; default 20,000'),
    fields: limit('names in all selections together; default 200'),
    items: limit(
      'items that an answer could hold: the sizes of its listings, multiplied; a twentieth for one item of a stream; ' +
        'default 2,000,000'
    ),
    sortTerms: limit('terms of a sort order; default 10')
  })
}, { additionalProperties: false })

/** The syntax of query strings. */
export type QueryStringOptions = Static<typeof queryStringOptions>
