import type { Collection, Field, Model, RelationField, StoredField, SubCollectionField } from '../../lib/model/model.ts'

// Every way in which a link can be written, enumerated from the model.

/**
 * A request that writes a link. `asks`: the operations that the rules must allow, besides those of the link's names.
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
  const { property } = child
  const url = `/${child.name}/${of(child)}`
  const bodies: unknown[] = field.writable ? [{ [name]: { [keyName(target)]: of(target) } }] : []
  if (foreignKey?.writable === true) bodies.push({ [foreignKey.name]: of(target) })
  const ways = bodies.flatMap((body): readonly Way[] => [
    { method: 'PATCH', url, body, asks: [`${property}.update`] },
    {
      method: 'POST',
      url: `/${child.name}`,
      body: { ...required(child), ...body as object },
      asks: [
      `${property}.create`
      ]
    },
    {
      method: 'PUT',
      url: `/${child.name}/${unused}`,
      body: { ...required(child), ...body as object },
      asks: [
      `${property}.create`
      ]
    }
  ])
  if (foreignKey?.writable !== true) return ways
  return [
    ...ways,
    { method: 'PUT', url: `${url}/${foreignKey.name}`, body: of(target), asks: [`${property}.update`] },
    {
      method: 'POST',
      url: `/${child.name}/by_${foreignKey.name}/${of(target)}`,
      body: required(child),
      asks: [
      `${property}.create`
      ]
    }
  ]
}

/** The ways of a sub-collection: in the body of its holder, new or not, and at its URL. */
function byList (field: SubCollectionField, { of, unused }: Keys): readonly Way[] {
  const { holder, target, name, link, writable } = field
  const url = `/${holder.name}/${of(holder)}`
  const update = `${holder.property}.update`
  const create = `${target.property}.create`
  const existing = { [name]: [{ [keyName(target)]: of(target) }] }
  const added = { [name]: [required(target)] }
  return [
    { method: 'POST', url: `${url}/${name}`, body: required(target), asks: [update, create] },
    ...link.kind === 'foreign-key'
      ? [{ method: 'PUT', url: `${url}/${name}/${unused}`, body: required(target), asks: [update, create] } as const]
      : [],
    ...writable
      ? [
          { method: 'PATCH', url, body: existing, asks: [update, `${target.property}.update`] },
          { method: 'PATCH', url, body: added, asks: [update, create] },
          {
            method: 'POST',
            url: `/${holder.name}`,
            body: { ...required(holder), ...existing },
            asks: [
            `${holder.property}.create`, `${target.property}.update`
            ]
          },
          {
            method: 'POST',
            url: `/${holder.name}`,
            body: { ...required(holder), ...added },
            asks: [
            `${holder.property}.create`, create
            ]
          }
        ] as const
      : []
  ]
}

/** Removes a link by the relation, by its foreign key, and with its item. */
function unlinkingOf (field: RelationField, { of }: Keys): readonly Way[] {
  const { holder, target, name } = field
  const url = `/${holder.name}/${of(holder)}`
  const asks = [`${holder.property}.update`]
  const deletion = { method: 'DELETE', url, body: undefined, asks: [`${holder.property}.delete`] } as const
  if (field.kind === 'sub-collection') {
    return [
      deletion,
      { method: 'PUT', url: `${url}/${name}`, body: [], asks },
      { method: 'DELETE', url: `${url}/${name}/${of(target)}`, body: undefined, asks }
    ]
  }
  const [foreignKey] = field.foreignKey
  return [
    deletion,
    { method: 'PATCH', url, body: { [name]: null }, asks },
    { method: 'DELETE', url: `${url}/${name}`, body: undefined, asks },
    ...foreignKey?.writable === true
      ? [{ method: 'PUT', url: `${url}/${foreignKey.name}`, body: null, asks } as const]
      : []
  ]
}

const keyName = ({ key: [key] }: Collection) => key?.name ?? ''

/** The members that a new item must have. The fixtures require texts only. */
const required = ({ stored }: Collection): Readonly<Record<string, unknown>> =>
  Object.fromEntries(stored.filter(({ writable, optional }) => writable && !optional).map(({ name }) => [name, 'new']))

const distinct = (ways: readonly Way[]) =>
  [...new Map(ways.map(way => [JSON.stringify([way.method, way.url, way.body]), way])).values()]
