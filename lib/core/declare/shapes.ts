import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { flagNames, wordNames } from '../../../schemas/flags.ts'
import { requestStrategies } from '../../../schemas/request-strategies.ts'
import type { Behaviour, Hooks, Input, Lookup, Pages, Rules, Scopes, Special } from './collection.ts'
import type { Computed, Expression } from './computed.ts'
import type { SubCollectionOptions, SubItemOptions } from './relations.ts'
import type { OperationRules } from './rules.ts'

// What declarations look like, as schemas, since TypeScript finds none of JavaScript's mistakes. Beside the keywords of
// JSON Schema there are three (model/check.ts): `isFunction`; `expected`, which says what a value must be; and `noun`,
// which says what a member is.

/** The schema of an object, with a schema of each member of its type; one that is missing does not compile. */
export interface SchemaOf<T> extends TSchema {
  properties: Record<(T extends unknown ? keyof T : never) & string, TSchema>
  required?: readonly string[] | undefined
}

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)
const closed = (noun: string) => ({ additionalProperties: false, noun })
/** An object whose members have names of the application's own. */
const each = (member: TSchema) => Type.Object({}, { additionalProperties: member })

export const functionSchema = Type.Unsafe<unknown>({ isFunction: true, expected: 'a function' })
const aFunction = optional(functionSchema)
const aSchema = Type.Object({}, { expected: 'a schema' })
const names = Type.Array(Type.String(), { expected: 'a list of names' })
const nameOrNames = Type.Union([Type.String(), names], { expected: 'a name or a list of names' })

const computed: SchemaOf<Computed> = Type.Object({
  kind: Type.Literal('computed'), type: aSchema, from: names, get: functionSchema
}, closed('a member of computed()'))

const expression: SchemaOf<Omit<Expression, 'item'>> = Type.Object({
  kind: Type.Literal('expression'),
  type: aSchema,
  nullable: optional(Type.Boolean()),
  sql: aFunction,
  memory: aFunction,
  from: optional(names)
}, closed('a member of expression()'))

const lookup: SchemaOf<Lookup> = Type.Object({
  kind: Type.Literal('lookup'), type: aSchema, find: functionSchema
}, closed('a member of lookup()'))

const special: SchemaOf<Special> = Type.Object({
  kind: Type.Literal('special'), segment: Type.String({ expected: 'a text' }), find: functionSchema
}, closed('a member of exactly()'))

const input: SchemaOf<Omit<Input, 'item'>> = Type.Object({
  kind: Type.Literal('input'), type: aSchema, set: functionSchema
}, closed('a member of input()'))

/** What one of several functions has made, by its kind. */
const made = (makers: string, ...forms: readonly TSchema[]): TSchema => Type.Unsafe<unknown>({
  type: 'object', discriminator: { propertyName: 'kind' }, oneOf: forms, expected: `what ${makers} returns`
})

const hooks: SchemaOf<Hooks<unknown>> = Type.Object({
  creating: aFunction,
  created: aFunction,
  updating: aFunction,
  updated: aFunction,
  deleting: aFunction,
  deleted: aFunction,
  saved: aFunction,
  imported: aFunction
}, closed('a hook'))

const scopes: SchemaOf<Scopes<unknown>> = Type.Object({
  read: aFunction, update: aFunction, delete: aFunction
}, closed('a scope'))

const rule = optional(Type.Union([functionSchema, Type.Boolean()], { expected: 'a function, true or false' }))
const operations = { read: rule, create: rule, update: rule, delete: rule }

/** The option `rules` of an API. */
export const operationRules: SchemaOf<OperationRules> = Type.Object(operations, closed('a rule'))

/** The rules of a field. model/rules.ts checks those of each: a field that is undefined has none. */
export const fieldRules: SchemaOf<NonNullable<NonNullable<Rules['fields']>[string]>> = Type.Object({
  read: aFunction, write: aFunction, writeItem: aFunction
}, { ...closed('a rule of a field'), expected: '{ read, write }' })

const rules: SchemaOf<Rules> = Type.Object({ ...operations, fields: optional(Type.Object({})) }, closed('a rule'))

const size = optional(Type.Number())
const pages: SchemaOf<Pages> = Type.Object({ defaultSize: size, maxSize: size }, closed('a size of pages'))

/** The behaviour of a collection. What its source is, model/declarations.ts explains. */
export const behaviour: SchemaOf<Behaviour<TObject>> = Type.Object({
  source: optional(Type.Unknown()),
  key: optional(names),
  unique: optional(Type.Array(names)),
  computed: optional(each(made('computed() or expression()', computed, expression))),
  setters: optional(each(functionSchema)),
  inputs: optional(each(made('input()', input))),
  hooks: optional(hooks),
  delete: aFunction,
  requestStrategies: optional(requestStrategies),
  scope: optional(Type.Union([functionSchema, scopes], { expected: 'a function, or an object of functions' })),
  rules: optional(rules),
  identifiers: optional(each(made('lookup() or exactly()', lookup, special))),
  pages: optional(pages)
}, closed('a member of a behaviour'))

const text = optional(Type.String())
const flags = Object.fromEntries(flagNames.map(flag => [flag, optional(Type.Boolean())]))

const open = { additionalProperties: true }

/** The flags and words of a field, whose schema has other keywords too. */
export const fieldOptions = Type.Object({
  ...flags, ...Object.fromEntries(wordNames.map(word => [word, text]))
}, open)

/** The words of a collection, whose schema has other keywords too. */
export const collectionWords = Type.Object({
  title: text, description: text, group: text, views: optional(each(text))
}, open)

const flag = optional(Type.Boolean())

/** The options of SubItem() and SubCollection(). */
export const relationOptions: SchemaOf<SubItemOptions | SubCollectionOptions> = Type.Object({
  foreignKey: nameOrNames,
  where: optional(Type.Object({}, { expected: 'an object of values' })),
  through: text,
  otherKey: optional(nameOrNames),
  readable: flag,
  writable: flag,
  hidden: flag,
  listed: flag,
  filterable: flag,
  sortable: flag,
  creates: flag,
  description: text,
  title: text,
  group: text
}, closed('an option of a relation'))
