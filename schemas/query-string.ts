import { type Static, type TObject, Type } from '@sinclair/typebox'

/** Links need a name for it. */
const one = (description: string) => Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description }))
const names = (description: string) => Type.Optional(Type.Array(Type.String({ minLength: 1 }), { description }))
const limit = (description: string, bounds: { readonly maximum?: number } = {}) => Type.Optional(Type.Integer({ minimum: 1, ...bounds, description }))
const group = <T extends TObject['properties']>(properties: T) => Type.Optional(Type.Object(properties, { additionalProperties: false }))

/** How query strings are written. What is left out is as in docs/http.md: Query strings. */
export const queryStringOptions = Type.Object({
  /** Parameters that hold a filter. Default `where`, `filter`. */
  where: names('parameters that hold a filter'),
  /** Parameters that hold an order. Default `sort`, `order`, `orderby`. */
  sort: names('parameters that hold an order'),
  /** Parameters that hold a selection. Default `fields`, `select`. */
  fields: names('parameters that hold a selection'),
  /** Parameters that hold a page's number, from 1. Default `page`. */
  page: names("parameters that hold a page's number"),
  /** Parameters that hold a page's size, in items. Default `size`, `limit`, `take`. */
  size: names("parameters that hold a page's size"),
  /** Parameters that hold the number of items to skip. Default `offset`, `skip`. */
  offset: names('parameters that hold the number of items to skip'),
  /** Parameters that hold the position a page begins after. Default `after`. */
  after: one('parameters that hold the position a page begins after'),
  /** Parameters that hold the position a page ends before. Default `before`. */
  before: one('parameters that hold the position a page ends before'),
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
  /** Single characters that split what a parameter holds. */
  delimiters: group({
    list: names('between the values of an `in`; default `,`, `;`'),
    sort: names('between the terms of an order; default `,`, `;`'),
    direction: names('between a field and its direction; default a space, `+`'),
    fields: names('between the names of a selection; default `,`, `;`, `+`, a space')
  }),
  /** The words for directions. */
  directions: group({
    ascending: names('default `asc`, `ascending`'),
    descending: names('default `desc`, `descending`')
  }),
  /** Whether a parameter of any other name is a filter, as in `?age>5`. Default true. */
  fieldParameters: Type.Optional(Type.Boolean()),
  /** What a segment begins with that asks for a dictionary. Default `by_`. */
  dictionaryPrefix: Type.Optional(Type.String({ minLength: 1 })),
  /** What one request may ask for; beyond it is 400. */
  limits: group({
    // Each level is a call within a call, and what holds them ends somewhere.
    depth: limit('groups within groups, selections within selections, relations in a row; default 5, at the most 100', { maximum: 100 }),
    terms: limit('comparisons in all filters together; default 100'),
    listLength: limit('values of an `in`; default 1000'),
    fields: limit('names in all selections together; default 200'),
    items: limit('items that an answer could hold, by the sizes of its listings multiplied; default 10,000,000'),
    sortTerms: limit('terms of an order; default 10')
  })
}, { additionalProperties: false })

/** How query strings are written. */
export type QueryStringOptions = Static<typeof queryStringOptions>
