import type { TObject } from '@sinclair/typebox'
import { type FieldFlags, flagNames, wordNames } from '../../../schemas/flags.ts'
import type { Behaviour, Declared, Hooks, Input, Pages } from '../declare/collection.ts'
import {
  isSubCollection, isSubItem, type SubCollectionOptions, type SubItemOptions, type TSubCollection, type TSubItem
} from '../declare/relations.ts'
import { DeclarationError } from '../errors/errors.ts'
import { isObject } from '../errors/is-object.ts'
import { didYouMean, suggest } from '../errors/suggest.ts'
import { memoizeRecent } from '../scheduling/memoize.ts'
import { placeOf } from './fields.ts'
import { checkNames, describeGiven, type Keys } from './known-names.ts'

const behaviour: Keys<Behaviour<TObject>> = {
  source: true,
  key: true,
  unique: true,
  computed: true,
  setters: true,
  inputs: true,
  hooks: true,
  delete: true,
  requestStrategies: true,
  scope: true,
  rules: true,
  identifiers: true,
  pages: true
}
const hooks: Keys<Hooks<unknown>> = {
  creating: true,
  created: true,
  updating: true,
  updated: true,
  deleting: true,
  deleted: true,
  saved: true,
  imported: true
}
const pages: Keys<Pages> = { defaultSize: true, maxSize: true }
const relation: Keys<SubItemOptions | SubCollectionOptions> = {
  foreignKey: true,
  where: true,
  through: true,
  otherKey: true,
  readable: true,
  writable: true,
  hidden: true,
  listed: true,
  filterable: true,
  sortable: true,
  creates: true,
  description: true,
  title: true,
  group: true
}

/**
 * Checks what TypeScript cannot: values that are no collections, and names that are misspelt, which would otherwise be
 * open silently. Throws a DeclarationError that names the collection and what was probably meant.
 */
export function checkDeclarations (collections: Readonly<Record<string, unknown>>): void {
  for (const [name, declared] of Object.entries(collections)) {
    const place = `collection '${name}'`
    if (!isDeclared(declared)) throw new DeclarationError(`${place}: ${explainUndeclared(declared)}`)
    checkSchema(place, declared.schema)
    checkBehaviour(place, declared.given)
    checkSource(place, declared.source)
    checkFields(name, declared)
  }
}

const isDeclared = (value: unknown): value is Declared => isObject(value) && isObject(value['given'])

function explainUndeclared (value: unknown): string {
  const expected = 'expected the result of collection(schema, behaviour)'
  if (isObject(value) && 'type' in value) return `${expected}; found a schema. Write collection(schema, { source })`
  return `${expected}; found ${describeGiven(value)}`
}

function checkSchema (place: string, schema: unknown): void {
  const isSchema = isObject(schema) && schema['type'] === 'object' && isObject(schema['properties'])
  if (isSchema) return
  const composed = isObject(schema) && Array.isArray(schema['allOf'])
  const advice = composed
    ? '; use Type.Composite in place of Type.Intersect'
    : isObject(schema) && '~standard' in schema ? ', or that of standard(schema) for a schema of another library' : ''
  throw new DeclarationError(`${place}: its schema must be a Type.Object({ ... })${advice}`)
}

function checkBehaviour (place: string, given: Readonly<Record<string, unknown>>): void {
  checkNames(place, given, behaviour, 'a member of a behaviour')
  checkNames(`${place}, hooks`, given['hooks'], hooks, 'a hook')
  checkNames(`${place}, pages`, given['pages'], pages, 'a size of pages')
  const { delete: deletion } = given
  if (deletion !== undefined && typeof deletion !== 'function') {
    throw new DeclarationError(`${place}, delete: expected a function; found ${describeGiven(deletion)}`)
  }
  for (const member of ['hooks', 'setters']) {
    const functions = given[member]
    if (functions !== undefined && !isObject(functions)) {
      throw new DeclarationError(`${place}, ${member}: expected an object; found ${describeGiven(functions)}`)
    }
    for (const [name, value] of Object.entries(given[member] ?? {})) {
      if (value === undefined || typeof value === 'function') continue
      throw new DeclarationError(`${place}, ${member}.${name}: expected a function; found ${describeGiven(value)}`)
    }
  }
  checkKinds(place, 'computed', given['computed'], ['computed', 'expression'])
  checkKinds(place, 'identifiers', given['identifiers'], ['lookup', 'special'])
  checkKinds(place, 'inputs', given['inputs'], ['input'])
}

/** A form of a value: its name in messages, and its test. */
interface Form { readonly name: string, fits (value: unknown): boolean }

const isText = (value: unknown) => typeof value === 'string'
const isNames = (value: unknown) => Array.isArray(value) && value.every(isText)
const schemaForm: Form = { name: 'a schema', fits: isObject }
const functionForm: Form = { name: 'a function', fits: value => typeof value === 'function' }
const textForm: Form = { name: 'a text', fits: isText }
const flagForm: Form = { name: 'true or false', fits: value => typeof value === 'boolean' }
const listForm: Form = { name: 'a list of names', fits: isNames }
const namesForm: Form = { name: 'a name or a list of names', fits: value => isText(value) || isNames(value) }
const optional = ({ name, fits }: Form): Form => ({ name, fits: value => value === undefined || fits(value) })

/** The members of what each function takes. */
const membersOf = {
  computed: { type: schemaForm, from: listForm, get: functionForm },
  expression: {
    type: schemaForm,
    nullable: optional(flagForm),
    sql: optional(functionForm),
    memory: optional(functionForm),
    from: optional(listForm)
  },
  lookup: { type: schemaForm, find: functionForm },
  special: { segment: textForm, find: functionForm },
  input: { type: schemaForm, set: functionForm }
} as const satisfies Readonly<Record<string, Readonly<Record<string, Form>>>>

const linkMembers: Readonly<Record<string, Form>> = {
  foreignKey: namesForm,
  where: optional({ name: 'an object of values', fits: isObject }),
  through: optional(textForm),
  otherKey: optional(namesForm)
}

/** The functions that make the members of each part of a behaviour. */
const makers = {
  computed: 'computed() or expression()',
  identifiers: 'lookup() or exactly()',
  inputs: 'input()'
} as const

/** Throws a DeclarationError for a member that none of the functions `kinds` has made. */
function checkKinds (
  place: string, member: keyof typeof makers, given: unknown, kinds: ReadonlyArray<keyof typeof membersOf>
): void {
  if (given === undefined) return
  if (!isObject(given)) {
    throw new DeclarationError(`${place}, ${member}: expected an object; found ${describeGiven(given)}`)
  }
  for (const [name, value] of Object.entries(given)) {
    const kind = isObject(value) ? kinds.find(one => one === value['kind']) : undefined
    if (kind !== undefined) {
      checkNames(`${place}, ${member}.${name}`, value, { kind: true, ...membersOf[kind] }, `a member of ${kind}()`)
      checkForms(`${place}, ${member}.${name}`, value, membersOf[kind])
      continue
    }
    const expected = `expected what ${makers[member]} returns`
    throw new DeclarationError(`${place}, ${member}.${name}: ${expected}; found ${describeGiven(value)}`)
  }
}

function checkForms (place: string, given: unknown, members: Readonly<Record<string, Form>>): void {
  for (const [name, form] of Object.entries(members)) {
    const value = isObject(given) ? given[name] : undefined
    if (form.fits(value)) continue
    throw new DeclarationError(`${place}: expected ${form.name} as '${name}'; found ${describeGiven(value)}`)
  }
}

function checkSource (place: string, source: unknown): void {
  const isDatabase = isObject(source) && typeof source['table'] === 'function'
  const isSource = isObject(source) && isObject(source['database']) && typeof source['database']['kind'] === 'string'
  if (isSource && !isDatabase) return
  const advice = isDatabase
    ? "it is a database; write db.table('name')"
    : source === undefined
      ? "it is missing; write memory(rows), or db.table('name')"
      : Array.isArray(source) || source instanceof Map
        ? 'it holds rows; write memory(rows)'
        : `expected memory(rows) or db.table('name'); found ${describeGiven(source)}`
  throw new DeclarationError(`${place}, source: ${advice}`)
}

function checkFields (collection: string, { schema, computed, inputs }: Declared): void {
  for (const [property, field] of Object.entries(schema.properties)) {
    const place = placeOf(collection, property)
    if (!isObject(field)) throw new DeclarationError(`${place}: expected a schema; found ${describeGiven(field)}`)
    if ('$ref' in field && !('$defs' in field)) {
      throw new DeclarationError(`${place}: its schema refers to '${String(field['$ref'])}'; write the schema itself`)
    }
    if (isSubItem(field) || isSubCollection(field)) {
      checkNames(place, field.link, relation, 'an option of a relation')
      checkForms(place, field.link, linkMembers)
      checkFlags(place, field.link)
      checkCreates(place, field)
    } else {
      checkFlags(place, field)
    }
  }
  for (const [property, { type }] of Object.entries(computed)) {
    const place = placeOf(collection, property)
    checkFlags(place, type)
    for (const flag of ['identifier', 'version'] as const) {
      if (type[flag] === true) throw new DeclarationError(`${place}: is computed, and so cannot be flagged '${flag}'`)
    }
  }
  for (const [property, one] of Object.entries(inputs)) checkInput(placeOf(collection, property), one)
}

/** Throws a DeclarationError for a `creates` that is no boolean, or is without effect. */
function checkCreates (place: string, relation: TSubItem | TSubCollection): void {
  const { creates }: { readonly creates?: unknown } = relation.link
  if (creates === undefined) return
  const fail = (reason: string) => { throw new DeclarationError(`${place}: 'creates' ${reason}`) }
  if (typeof creates !== 'boolean') fail(`must be true or false; found ${describeGiven(creates)}`)
  if (isSubItem(relation) || relation.link.through !== undefined) return
  fail('is for sub-items and join tables; elements of a list by a foreign key are always created')
}

/** Throws a DeclarationError for an input that is more than a member of bodies. */
function checkInput (place: string, { type }: Input): void {
  checkFlags(place, type)
  for (const flag of flagNames) {
    if (flag === 'writable' ? type[flag] !== false : type[flag] === undefined) continue
    const reason = flag === 'writable' ? 'is an input, and so is always writable' : 'is an input, which no item has'
    throw new DeclarationError(`${place}: ${reason}; remove the flag '${flag}'`)
  }
  if (type['default'] === undefined) return
  const advice = "make its type optional, and set what is missing in the hook 'creating'"
  throw new DeclarationError(`${place}: is an input, which has no default; ${advice}`)
}

/** Throws a DeclarationError for a flag that is misspelt, is no boolean, or is without effect. */
function checkFlags (place: string, options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (flagNames.some(flag => flag === name)) {
      if (value === undefined || typeof value === 'boolean') continue
      throw new DeclarationError(`${place}: the flag '${name}' must be true or false; found ${describeGiven(value)}`)
    }
    if (wordNames.some(word => word === name) && value !== undefined && typeof value !== 'string') {
      throw new DeclarationError(`${place}: '${name}' must be a text; found ${describeGiven(value)}`)
    }
    const near = nearestFlag(name)
    if (near !== '') throw new DeclarationError(`${place}: '${name}' is not a flag.${didYouMean(near)}`)
  }
  const flags = options as FieldFlags
  for (const flag of ['filterable', 'sortable', 'aggregatable'] as const) {
    if (flags[flag] !== true || flags.readable === true) continue
    throw new DeclarationError(`${place}: is flagged '${flag}' but not 'readable'`)
  }
}

// All types of a large declaration have the same few options, such as `type` and `format`. Empty for none.
const nearestFlag = memoizeRecent(name => suggest(name, flagNames, 2) ?? '', { most: 200, longest: 50 })
