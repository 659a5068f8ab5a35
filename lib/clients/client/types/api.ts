/** What types say of one collection. `fastify-data-api types` writes them for an API (docs/clients.md: Types). */
export interface ApiCollection {
  /** The readable fields that are no relations. */
  readonly item: object
  /** The names of the fields that an item has in a listing, and inside another item. */
  readonly listed: PropertyKey
  /** The names of the fields that are shown only if a selection names them. */
  readonly hidden: PropertyKey
  /** The names of the fields by which lists cannot be filtered or sorted. */
  readonly unfilterable: PropertyKey
  readonly unsortable: PropertyKey
  /** The names of the fields that identify an item. */
  readonly identifiers: PropertyKey
  /** The collections of sub-items and of sub-collections, by the name of the field. */
  readonly one: object
  readonly many: object
  /** The bodies of writes; `never` where the API takes none. */
  readonly create: unknown
  readonly update: unknown
  readonly upsert: unknown
  /** True if items can be deleted. */
  readonly delete: boolean
  /** The bodies of new or linked elements, by the name of the sub-collection. */
  readonly elements: object
  /** The answer to a creation. */
  readonly created: unknown
}

/** The types of all collections of an API, by name. */
export type Api<A> = { readonly [K in keyof A]: ApiCollection }

/** An API without types of its own. */
export interface AnyApi { readonly [collection: string]: AnyCollection }

interface AnyCollection {
  readonly item: Readonly<Record<string, unknown>>
  readonly listed: string
  readonly hidden: never
  readonly unfilterable: never
  readonly unsortable: never
  readonly identifiers: string
  readonly one: object
  readonly many: Readonly<Record<string, string>>
  readonly create: object
  readonly update: object
  readonly upsert: object
  readonly delete: true
  readonly elements: Readonly<Record<string, object>>
  readonly created: { readonly status: 'created' | 'ok', readonly id?: string | number }
}

/** The name of the collection that a relation leads to. */
export type Target<A, M, R> = R extends keyof M ? Extract<M[R], keyof A> : never

/** The names of all fields of a collection. */
export type Name<A extends Api<A>, K extends keyof A> =
  Extract<keyof A[K]['item'] | keyof A[K]['one'] | keyof A[K]['many'], string>
