import type {
  Collection, Field, Model, RelationField, StoredField, SubCollectionField
} from '../../lib/core/model/model.ts'

// Every way in which a link can be written, enumerated from the model.

/**
 * A request that writes a link. `asks`: the operations that the rules must allow, besides those of the link's names,
 * and no others.
 */
export interface Way {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly body: unknown
  readonly asks: readonly string[]
}

/** A link, its names as `collection.property`, and the ways to write it between the items with the keys. */
export interface LinkWays {
  readonly names: readonly string[]
  readonly setter: boolean
  readonly ways: readonly Way[]
  /** The ways to remove links of the same items, as far as they are linked. */
  readonly unlinking: readonly Way[]
}

/** The keys of two items that are not linked, and of a third collection's item; a key that no item has. */
export interface Keys { of (collection: Collection): number, readonly unused: number }

/** Returns one entry for each foreign key and each join table. */
export function waysOf (model: Model, keys: Keys): readonly LinkWays[] {
  const relations = [...model.collections.values()].flatMap(({ fields }) => [...fields.values()].filter(isRelation))
  const links = new Map<string, RelationField[]>()
  for (const one of relations) links.set(nameOfLink(one), [...links.get(nameOfLink(one)) ?? [], one])
  return [...links.values()].map(group => ({
    names: [...new Set(group.flatMap(namesOf))],
    setter: group.some(one => foreignKeyOf(one).some(({ property }) => childOf(one).setters.has(property))),
    ways: distinct(group.flatMap(one => one.kind === 'sub-item' ? byChild(one, keys) : byList(one, keys))),
    unlinking: distinct(group.flatMap(one => unlinkingOf(one, keys)))
  }))
}

const isRelation = (field: Field): field is RelationField =>
  field.kind === 'sub-item' || field.kind === 'sub-collection'

const childOf = (field: RelationField) => field.kind === 'sub-item' ? field.holder : field.target

const foreignKeyOf = (field: RelationField): readonly StoredField[] =>
  field.kind === 'sub-item' ? field.foreignKey : field.link.kind === 'foreign-key' ? field.link.foreignKey : []

const nameOfLink = (field: RelationField) => field.kind === 'sub-collection' && field.link.kind === 'join'
  ? field.link.through
  : `${childOf(field).name}.${foreignKeyOf(field).map(({ name }) => name).join()}`

const namesOf = (field: RelationField) => [
  `${field.holder.property}.${field.property}`,
  ...foreignKeyOf(field).map(({ property }) => `${childOf(field).property}.${property}`)
]

/** The ways of a sub-item and of its foreign key's own name. */
function byChild (field: RelationField & { kind: 'sub-item' }, { of, unused }: Keys): readonly Way[] {
  const { holder: child, target, name, foreignKey: [foreignKey] } = field
  const url = `/${child.name}/${of(child)}`
  const bodies: unknown[] = field.writable ? [{ [name]: { [keyName(target)]: of(target) } }] : []
  if (foreignKey?.writable === true) bodies.push({ [foreignKey.name]: of(target) })
  const update = [...reading(child, target), `${child.property}.update`]
  const create = [...reading(child, target), `${child.property}.create`]
  const ways = bodies.flatMap((body): readonly Way[] => {
    const created = { ...required(child), ...body as object }
    return [
      { method: 'PATCH', url, body, asks: update },
      // Who may not read creates all the same.
      { method: 'POST', url: `/${child.name}`, body: created, asks: [...reading(target), `${child.property}.create`] },
      { method: 'PUT', url: `/${child.name}/${unused}`, body: created, asks: create }
    ]
  })
  if (foreignKey?.writable !== true) return ways
  return [
    ...ways,
    { method: 'PUT', url: `${url}/${foreignKey.name}`, body: of(target), asks: update },
    { method: 'POST', url: `/${child.name}/by_${foreignKey.name}/${of(target)}`, body: required(child), asks: create }
  ]
}

/** The ways of a sub-collection: in the body of its holder, new or not, and at its URL. */
function byList (field: SubCollectionField, { of, unused }: Keys): readonly Way[] {
  const { holder, target, name, link, writable } = field
  const url = `/${holder.name}/${of(holder)}`
  const reads = reading(holder, target)
  const ofBody = [...reads, `${holder.property}.update`]
  // A foreign key is a value of the element. A link in a join table is one of both items.
  const ofList = link.kind === 'join' ? ofBody : reads
  const [update, create] = [`${target.property}.update`, `${target.property}.create`]
  const existing = { [keyName(target)]: of(target) }
  const added = required(target)
  const created = (element: unknown) => ({
    method: 'POST', url: `/${holder.name}`, body: { ...required(holder), [name]: [element] }
  } as const)
  const list = `${url}/${name}`
  return [
    { method: 'POST', url: list, body: added, asks: [...ofList, create] },
    { method: 'POST', url: list, body: [added], asks: [...ofList, create] },
    ...link.kind === 'foreign-key'
      ? [{ method: 'PUT', url: `${list}/${unused}`, body: added, asks: [...reads, create] } as const]
      : [],
    ...writable
      ? [
          { method: 'POST', url: list, body: existing, asks: [...ofList, update] },
          { method: 'POST', url: list, body: [existing], asks: [...ofList, update] },
          { method: 'PUT', url: list, body: [existing], asks: [...ofList, update] },
          { method: 'PATCH', url, body: { [name]: [existing] }, asks: [...ofBody, update] },
          { method: 'PATCH', url, body: { [name]: [added] }, asks: [...ofBody, create] },
          { ...created(existing), asks: [...reads, `${holder.property}.create`, update] },
          { ...created(added), asks: [...reads, `${holder.property}.create`, create] }
        ] as const
      : []
  ]
}

/** Removes a link by the relation, by its foreign key, and with its item. */
function unlinkingOf (field: RelationField, { of }: Keys): readonly Way[] {
  const { holder, target, name } = field
  const url = `/${holder.name}/${of(holder)}`
  const deletion = { method: 'DELETE', url, body: undefined, asks: [`${holder.property}.delete`] } as const
  const update = `${holder.property}.update`
  if (field.kind === 'sub-collection') {
    const ofHolder = field.link.kind === 'join' ? [update] : []
    const ofList = [...reading(holder, target), ...ofHolder, `${target.property}.update`]
    return [
      deletion,
      { method: 'PUT', url: `${url}/${name}`, body: [], asks: ofList },
      { method: 'DELETE', url: `${url}/${name}/${of(target)}`, body: undefined, asks: ofList }
    ]
  }
  const [foreignKey] = field.foreignKey
  const asks = [...reading(holder, target), update]
  return [
    deletion,
    { method: 'PATCH', url, body: { [name]: null }, asks },
    { method: 'DELETE', url: `${url}/${name}`, body: undefined, asks },
    ...foreignKey?.writable === true
      // Null refers to no item.
      ? [{ method: 'PUT', url: `${url}/${foreignKey.name}`, body: null, asks: [...reading(holder), update] } as const]
      : []
  ]
}

const reading = (...collections: readonly Collection[]) => collections.map(({ property }) => `${property}.read`)

const keyName = ({ key: [key] }: Collection) => key?.name ?? ''

/** The members that a new item must have. The fixtures require texts only. */
const required = ({ stored }: Collection): Readonly<Record<string, unknown>> =>
  Object.fromEntries(stored.filter(({ writable, optional }) => writable && !optional).map(({ name }) => [name, 'new']))

const distinct = (ways: readonly Way[]) =>
  [...new Map(ways.map(way => [JSON.stringify([way.method, way.url, way.body]), way])).values()]
