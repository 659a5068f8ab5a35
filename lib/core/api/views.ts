import type { ValueRange } from '../declare/source.ts'
import { DataApiError } from '../errors/errors.ts'
import { shownLimits, takenSchema } from '../model/column-limits.ts'
import { distincts, leadsElsewhere, uniques } from '../model/identifiers.ts'
import {
  type Collection, type Field, type Identifier, type InputField, isRelation, type RelationField, type ScalarField,
  type StoredField
} from '../model/model.ts'
import { likeName } from '../model/names.ts'
import { referencesOf } from '../model/relations.ts'
import { takenStrategies } from '../model/strategies.ts'
import { type Operator, stringType } from '../model/values.ts'
import { syntaxOf } from '../plan/path/syntax.ts'
import type { GroupColumn, Selection, Shown } from '../plan/plan.ts'
import { takesFilters, takesNull } from '../plan/read/filter.ts'
import { GroupColumns, makesGroups, planColumns } from '../plan/read/group-columns.ts'
import { planPage } from '../plan/read/page.ts'
import { planRead, type ReadOptions } from '../plan/read/read.ts'
import { planSelection } from '../plan/read/select.ts'
import { memberPath } from '../plan/read/show.ts'
import { isSortable } from '../plan/read/sort.ts'
import { unitsOf } from '../plan/time-units.ts'
import { amendmentsOf } from '../plan/write/amendment.ts'
import { parseQuery } from '../request/query.ts'
import type { Syntax } from '../request/syntax.ts'
import { ownSegments, type PathParts } from '../response/paths.ts'
import { segmentOf } from '../run/address.ts'
import { memoize } from '../scheduling/memoize.ts'
import type {
  CollectionView, FieldView, GroupValue, IdentifierView, NamedField, RelationView, ShownItem, ShownMember, ValueView
} from './face.ts'
import { listAt } from './places.ts'

/** What doors see of the collections of models and of their fields: of each, one view. */
export interface Views {
  of (collection: Collection): CollectionView
  ofField (field: Field, holder: Collection): FieldView
  ofValue (field: ScalarField | InputField, holder: Collection): ValueView
  ofRelation (field: RelationField): RelationView
  /** Return what a view is of. */
  collectionOf (view: CollectionView): Collection
  relationOf (view: RelationView): RelationField
  valueOf (view: ValueView): ScalarField | InputField
}

export function makeViews (syntax: Syntax, reads: ReadOptions): Views {
  // A field is one of one collection only.
  const ofValues = makeKnown<ScalarField | InputField, ValueView>()
  const ofRelations = makeKnown<RelationField, RelationView>()
  const ofCollections = makeKnown<Collection, CollectionView>()
  const views: Views = {
    of: collection => ofCollections.get(collection, () => viewOf(collection, { syntax, reads, views })),
    ofField: (field, holder) => isRelation(field) ? views.ofRelation(field) : views.ofValue(field, holder),
    ofValue: (field, holder) => ofValues.get(field, () => viewOfValue(field, holder)),
    ofRelation: field => ofRelations.get(field, () => viewOfRelation(field, views)),
    collectionOf: ofCollections.behind,
    relationOf: ofRelations.behind,
    valueOf: ofValues.behind
  }
  return views
}

/** Returns a map of views by what they are of, and back. */
function makeKnown<Model extends object, View extends object> () {
  const views = new WeakMap<Model, View>()
  const models = new WeakMap<View, Model>()
  return {
    get (model: Model, make: () => View): View {
      const known = views.get(model)
      if (known !== undefined) return known
      const view = make()
      views.set(model, view)
      models.set(view, model)
      return view
    },
    behind (view: View): Model {
      const model = models.get(view)
      if (model === undefined) throw new TypeError('a view comes from the face that it is given to')
      return model
    }
  }
}

interface Making { readonly syntax: Syntax, readonly reads: ReadOptions, readonly views: Views }

function viewOf (collection: Collection, { syntax, reads, views }: Making): CollectionView {
  const { name, property, title, description, group, views: named } = collection
  const later = fieldsLater(collection, views)
  return {
    name,
    property,
    title,
    description,
    group,
    views: named,
    get fields () { return later.fields() },
    get key () { return later.key() },
    get inUrls () { return later.inUrls() },
    get inBodies () { return later.inBodies() },
    get identifiers () { return later.identifiers() },
    get names () { return later.names() },
    // The database may tell more of the table later.
    get strategies () { return takenStrategies(collection) },
    get known () { return collection.source.known?.() ?? collection },
    keepsDeleted: collection.deletion !== undefined,
    get syntax () { return syntaxOf(collection, syntax) },
    shape: (fields, form) => shapeOf(planSelection(fields, collection, form), collection, views),
    groups: fields => fields === undefined || !makesGroups(fields, collection)
      ? undefined
      : planColumns(fields, new GroupColumns(collection)).map(one => viewOfColumn(one, collection, views)),
    itemsBefore (page) {
      const { style, offset } = planPage(page, collection.pages)
      return style === 'keyset' ? undefined : offset
    },
    addressesOf: (item, most) => addressesOf(item, collection, syntax, most),
    faultIn: query => faultIn(query, collection, syntax, reads)
  }
}

/** Returns what makes the views of fields, once: relations lead in circles. */
function fieldsLater (collection: Collection, views: Views) {
  const { key, fields, identifiers } = collection
  const ofValue = (field: ScalarField | InputField) => views.ofValue(field, collection)
  const lists = (some: ReadonlyArray<readonly ScalarField[]>) => some.map(fields => fields.map(ofValue))
  return {
    fields: once(() => [...fields.values()].filter(({ readable, writable }) => readable || writable)
      .map(field => views.ofField(field, collection))),
    key: once(() => key.map(ofValue)),
    inUrls: once(() => lists([key, ...uniques(collection)])),
    inBodies: once(() => lists(distincts(collection))),
    identifiers: once(() => identifiers.map(one => viewOfIdentifier(one, ofValue))),
    names: once(() => namesOf(collection).map(ofValue))
  }
}

function once<T> (make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

const viewOfIdentifier = (one: Identifier, ofValue: (field: ScalarField) => ValueView): IdentifierView => {
  const fields = one.kind === 'field' ? [one.field] : one.kind === 'key' ? one.fields : undefined
  return { name: one.name, fields: fields?.map(ofValue) }
}

/** Returns the field flagged `naming`, then what is usually a name, then other identifiers that are texts. */
function namesOf ({ stored }: Collection): readonly StoredField[] {
  const isName = ({ readable, hidden, identifier, name, schema, type }: StoredField) => readable && !hidden &&
    (schema.naming === true || (type.kind === 'string' && (identifier || likeName.test(name))))
  const rank = ({ identifier, name, schema }: StoredField) =>
    schema.naming === true ? 0 : likeName.test(name) ? identifier ? 1 : 2 : 3
  return stored.filter(isName).toSorted((one, other) => rank(one) - rank(other))
}

const namedOf = ({ name, schema, readable, writable, hidden, listed }: Field) =>
  ({ name, schema, readable, writable, hidden, listed })

function viewOfValue (field: ScalarField | InputField, holder: Collection): ValueView {
  const { kind } = field
  const type = kind === 'computed' ? undefined : field.type
  const filterable = takesFilters(field)
  return {
    ...namedOf(field),
    kind,
    filterable,
    sortable: isSortable(field),
    groupable: filterable && field.sortable,
    values: type?.kind ?? kindIn(field.schema),
    operators: type?.operators ?? noOperators,
    comparesNull: takesNull(field),
    nullable: kind !== 'computed' && field.nullable,
    optional: (kind === 'stored' || kind === 'input') && field.optional,
    identifier: kind === 'stored' && field.identifier,
    get refers () { return refers(field, holder) },
    isText: type === stringType,
    amendments: amendmentsOf(field),
    units: type === undefined ? [] : unitsOf(type),
    get takenSchema () { return kind === 'stored' ? shownLimits(takenSchema(field, holder)) : field.schema },
    get range () { return kind === 'stored' ? rangeOf(field, holder) : undefined },
    parse: text => type?.parse(text)
  }
}

const refers = (field: Field, { fields }: Collection): boolean =>
  [...fields.values()].some(one => one.kind === 'sub-item' && one.foreignKey.some(part => part === field))

const noOperators: ReadonlySet<Operator> = new Set()

function kindIn (schema: NamedField['schema']): string {
  const { type, format } = schema as { readonly type?: unknown, readonly format?: unknown }
  return typeof format === 'string' ? format : String(type)
}

/** A foreign key has the values of the key. */
function rangeOf (field: ScalarField, collection: Collection): ValueRange | undefined {
  const own = collection.source.range?.(field.property)
  const references = typeof own === 'string' ? referencesOf(collection) : []
  const [key] = references.flatMap(({ foreignKey, target }) => {
    const at = foreignKey.findIndex(part => part.property === field.property)
    return target.key[at] === undefined ? [] : [{ property: target.key[at].property, source: target.source }]
  })
  return key === undefined ? own : key.source.range?.(key.property)
}

function viewOfRelation (field: RelationField, views: Views): RelationView {
  const { kind, holder, target, creates, readable, filterable, sortable } = field
  const isJoin = kind === 'sub-collection' && field.link.kind === 'join'
  const foreignKey = kind === 'sub-item' ? field.foreignKey : field.link.kind === 'join' ? [] : field.link.foreignKey
  const storing = kind === 'sub-item' ? holder : target
  return {
    ...namedOf(field),
    kind,
    filterable: readable && filterable,
    sortable: readable && sortable,
    groupable: false,
    // Relations lead in circles.
    get holder () { return views.of(holder) },
    get target () { return views.of(target) },
    creates,
    isJoin,
    get foreignKey () { return foreignKey.map(one => views.ofValue(one, storing)) },
    get onDelete () { return onDeleteOf(field) }
  }
}

/** An application that keeps what is deleted, or has a hook for it, decides otherwise than its database. */
function onDeleteOf (field: RelationField): RelationView['onDelete'] {
  const { holder, target } = field
  const isOwn = holder.deletion !== undefined || holder.hooks.deleting !== undefined
  if (field.kind === 'sub-item' || isOwn) return undefined
  const { link } = field
  if (link.kind === 'foreign-key') return target.source.onDelete?.(link.foreignKey.map(({ property }) => property))
  const action = holder.source.onDelete?.(link.foreignKey, link.through)
  // A link is deleted, its item stays.
  return action === 'cascade' ? 'set null' : action
}

// Many selections are those of a form, each of which is one object.
const shapes = memoize((_: Views) => memoize((_: Collection) => new WeakMap<Selection, ShownItem>()))

function shapeOf (select: Selection, collection: Collection, views: Views): ShownItem {
  const known = shapes(views)(collection)
  const shape = known.get(select) ?? select.map(shown => viewOfShown(shown, collection, views))
  known.set(select, shape)
  return shape
}

function viewOfShown (shown: Shown, collection: Collection, views: Views): ShownMember {
  const { kind, name } = shown
  if (kind === 'value') return { kind, name, field: views.ofValue(shown.field, collection) }
  const { target } = shown.field
  const select = kind === 'item' ? shown.select : kind === 'list' ? shown.listing.select : []
  const functions = kind === 'related' ? shown.values : []
  return {
    kind,
    name,
    field: views.ofRelation(shown.field),
    get select () { return shapeOf(select, target, views) },
    functions: functions.map(one => viewOfColumn(one, target, views))
  }
}

function viewOfColumn (column: GroupColumn, collection: Collection, views: Views): GroupValue {
  const { field: { name }, call, of } = column
  const holder = of?.path?.at(-1)?.field.target ?? collection
  return {
    name,
    path: memberPath(column),
    call,
    unit: column.call === undefined ? column.unit : undefined,
    of: of && views.ofValue(of.field, holder)
  }
}

/** The most characters of a value in the URL of a link: a server refuses longer URLs sooner or later. */
const longestInPath = 500

function addressesOf (
  item: Readonly<Record<string, unknown>>, collection: Collection, { dictionaryPrefix }: Syntax, most = Infinity
): ReadonlyArray<readonly PathParts[]> {
  const addresses: Array<readonly PathParts[]> = []
  for (const fields of [collection.key, ...uniques(collection)]) {
    const values = fields.map(({ name, readable }) => readable ? item[name] ?? null : null)
    if (addresses.length === most) break
    if (values.some(value => value === null || String(value).length > longestInPath)) continue
    if (leadsElsewhere(segmentOf(values))) continue
    addresses.push(ownSegments(collection, { fields, values, plain: true }, dictionaryPrefix))
  }
  return addresses
}

function faultIn (
  query: string, collection: Collection, syntax: Syntax, reads: ReadOptions
): DataApiError | undefined {
  try {
    planRead(listAt({ collection, via: undefined }), parseQuery(query, syntaxOf(collection, syntax)), false, reads)
    return undefined
  } catch (error) {
    if (error instanceof DataApiError) return error
    throw error
  }
}
