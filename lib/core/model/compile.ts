import type { TSchema } from '@sinclair/typebox'
import type { RequestStrategies } from '../../../schemas/request-strategies.ts'
import type { Declared } from '../declare/collection.ts'
import { DeclarationError, describeValue } from '../errors/errors.ts'
import type {
  Collection, Field, InputField, Model, PageLimits as Limits, StoredField, SubCollectionField, SubItemField
} from './model.ts'
import { compileKey, compileScalars, compileUnique, type Scalars } from './fields.ts'
import { checkFilled } from './filled.ts'
import { checkForeignKeys, compileRelations } from './relations.ts'
import { compileIdentifiers, compileSpecials } from './identifiers.ts'
import { checkListed } from './listed-form.ts'
import { checkSetters, compileInputs, compileSetters } from './inputs.ts'
import { type Naming, toName } from './names.ts'
import { allStrategies, compileStrategies } from './strategies.ts'
import { compileValidate } from './schema-validators.ts'
import { compileVersion } from './version.ts'

export interface CompileOptions {
  readonly naming: Naming
  readonly pages: Limits
  /** The strategies of the whole API. Default: the default of each strategy. */
  readonly requestStrategies?: RequestStrategies
  /** The names on the wire that no field may have, each with the reason. */
  readonly reserved: ReadonlyMap<string, string>
  /**
   * The model of the full declarations, if the declarations to compile lack the flags that a caller is denied
   * (model/rules.ts). A setter or a version that lost its flags is then not an error. The validators are those of
   * the full model: members that the caller may not write never reach them.
   */
  readonly whole?: Model
  /**
   * For own code: fields have the names of their declarations, an item without a selection shows its
   * scalars, and the requests that may write are not limited. `open`: no flag is, either.
   */
  readonly own?: 'flagged' | 'open'
}

/**
 * A collection while it is compiled. Relations of other collections can refer to `collection` before its maps and
 * arrays are filled.
 */
export interface CollectionDraft {
  readonly declared: Declared
  readonly scalars: Scalars
  readonly inputs: ReadonlyMap<string, InputField>
  readonly collection: Collection
  readonly fields: Map<string, Field>
  readonly properties: Map<string, Field>
  readonly referrers: SubItemField[]
  readonly referring: Array<Collection['referring'][number]>
  readonly links: SubCollectionField[]
}

/** The drafts of all collections by the application's name. */
export type Drafts = ReadonlyMap<string, CollectionDraft>

/** Throws a DeclarationError that names the collection and the field at fault. */
export function compileModel (declared: Readonly<Record<string, Declared>>, options: CompileOptions): Model {
  const drafts: Drafts = new Map(
    Object.entries(declared).map(([property, one]) => [property, makeDraft(property, one, options)])
  )
  for (const draft of drafts.values()) addFields(draft, drafts, options)
  // A caller who may not write a field has a model in which it is not writable.
  if (options.whole === undefined && options.own === undefined) {
    for (const { collection } of drafts.values()) {
      checkSetters(collection)
      checkFilled(collection)
    }
  }
  const collections = new Map<string, Collection>()
  for (const { collection } of drafts.values()) {
    const { name, property } = collection
    const other = collections.get(name)
    if (other) {
      const both = `collections '${other.property}' and '${property}'`
      throw new DeclarationError(`${both} have the same name '${name}' in URLs`)
    }
    collections.set(name, collection)
  }
  for (const collection of collections.values()) {
    checkListed(collection)
    checkForeignKeys(collection)
  }
  return Object.freeze({ collections })
}

function makeDraft (property: string, declared: Declared, options: CompileOptions): CollectionDraft {
  const name = compileName(property, options)
  const scalars = compileScalars(property, declared, options)
  const inputs = compileInputs(property, declared, options)
  const fields = new Map<string, Field>()
  const properties = new Map<string, Field>()
  const referrers: SubItemField[] = []
  const referring: CollectionDraft['referring'] = []
  const links: SubCollectionField[] = []
  const stored = [...scalars.values()].filter((field): field is StoredField => field.kind === 'stored')
  const { whole, requestStrategies = {} } = options
  const key = compileKey(property, declared, scalars)
  const setters = compileSetters(property, declared, scalars)
  const collection = Object.freeze({
    name,
    property,
    ...wordsOf(declared.schema),
    fields,
    properties,
    key,
    unique: compileUnique(property, declared, scalars),
    identifiers: compileIdentifiers(property, declared, { key, scalars }, options),
    specials: compileSpecials(property, declared),
    source: declared.source,
    pages: compilePages(property, declared, options),
    stored,
    ...compileVersion(property, stored, whole !== undefined || options.own === 'open'),
    referrers,
    referring,
    links,
    strategies: options.own === undefined
      ? compileStrategies(declared, requestStrategies)
      : allStrategies,
    validate: whole?.collections.get(name)?.validate ??
      compileValidate(property, [...stored, ...inputs.values()], { source: declared.source, setters }),
    setters,
    hooks: declared.hooks,
    deletion: declared.delete
  })
  return { declared, scalars, inputs, collection, fields, properties, referrers, referring, links }
}

const wordsOf = ({ title, description, group, views = {} }: TSchema) => ({ title, description, group, views })

function compileName (property: string, { naming, own, requestStrategies }: CompileOptions): string {
  if (own !== undefined) return property
  const name = toName(naming, property)
  const isReference = name.startsWith('$') && (requestStrategies?.batch ?? false) !== false
  if (name !== '' && name !== '.' && name !== '..' && !isReference) return name
  const place = isReference ? 'the path of a batch' : 'a URL'
  const reason = `its name in a URL would be '${name}', which cannot be used in ${place}`
  throw new DeclarationError(`collection '${property}': ${reason}`)
}

function compilePages (
  collection: string, { pages }: Declared, { pages: fallback, own }: CompileOptions
): Limits {
  const maxSize = pages.maxSize ?? fallback.maxSize
  const defaultSize = pages.defaultSize ?? Math.min(fallback.defaultSize, maxSize)
  for (const [name, size] of Object.entries({ maxSize, defaultSize })) {
    if (size >= 1 && (Number.isSafeInteger(size) || size === Infinity)) continue
    const place = `collection '${collection}': pages.${name}`
    throw new DeclarationError(`${place} must be an integer of at least 1, or Infinity; found ${describeValue(size)}`)
  }
  if (defaultSize > maxSize) {
    throw new DeclarationError(`collection '${collection}': pages.defaultSize must not be greater than pages.maxSize`)
  }
  return { defaultSize, maxSize: own === 'open' ? Infinity : maxSize }
}

/** Adds the fields in the order declared. Relations can be compiled only now that every collection has a draft. */
function addFields (draft: CollectionDraft, drafts: Drafts, options: CompileOptions): void {
  const { declared, collection, fields, properties, scalars, inputs } = draft
  const relations = compileRelations(draft, drafts, options)
  const named = [declared.schema.properties, declared.computed, declared.inputs]
  for (const property of named.flatMap(Object.keys)) {
    const field = relations.get(property) ?? scalars.get(property) ?? inputs.get(property)
    if (field === undefined) continue
    const { name } = field
    const other = fields.get(name)
    if (other) {
      const both = `fields '${other.property}' and '${property}' have the same name '${name}'`
      throw new DeclarationError(`collection '${collection.property}': ${both} on the wire`)
    }
    fields.set(name, field)
    properties.set(property, field)
    addReferences(field, drafts)
  }
}

/** Records a relation in the collections that its foreign keys or links concern. */
function addReferences (field: Field, drafts: Drafts): void {
  if (field.kind === 'sub-item') drafts.get(field.target.property)?.referrers.push(field)
  if (field.kind !== 'sub-collection') return
  const { holder, target, link, constants } = field
  if (link.kind === 'foreign-key') {
    drafts.get(target.property)?.referring.push({ foreignKey: link.foreignKey, target: holder, constants })
  } else {
    for (const side of new Set([holder, target])) drafts.get(side.property)?.links.push(field)
  }
}
