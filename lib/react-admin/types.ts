// The types of react-admin's data providers, as far as this one uses them. ra-core's own declarations do not compile in
// projects that check their libraries; a test holds these to them (test/client/react-admin.test.ts).

export type Id = string | number

/** A record of react-admin: an item of the API with its `id`. */
export interface RecordOf { readonly id: Id, readonly [field: string]: unknown }

/** What every call can have. */
interface Call {
  readonly meta?: CallOptions | undefined
  readonly signal?: AbortSignal | undefined
}

/** The member `meta` of a call. */
export interface CallOptions {
  /** The fields of the answer, as `fields` of the client (docs/client.md). The key is added. */
  readonly fields?: readonly unknown[] | undefined
  /** True if the write replaces what others have written since the record was read. */
  readonly overwrite?: boolean | undefined
  /** Headers to add to the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly [other: string]: unknown
}

export interface ListCall extends Call {
  readonly pagination?: { readonly page: number, readonly perPage: number }
  readonly sort?: { readonly field: string, readonly order: 'ASC' | 'DESC' }
  /** A filter as `where` of the client (docs/client.md: Filters). */
  readonly filter?: object
}
export interface ReferenceCall extends ListCall { readonly target: string, readonly id: Id }
export interface OneCall extends Call { readonly id: Id, readonly previousData?: object }
export interface ManyCall extends Call { readonly ids: readonly Id[] }
interface Writing { readonly data: object }

export interface One<R> { data: R }
export interface Many<R> { data: R[] }
export interface List<R> extends Many<R> {
  total?: number
  pageInfo?: { hasNextPage: boolean, hasPreviousPage: boolean }
}

/** A type and not an interface, so that it is assignable to react-admin's, which has an index signature. */
export type DataProvider = {
  readonly supportAbortSignal: true
  readonly getList: <R = RecordOf>(resource: string, call: ListCall) => Promise<List<R>>
  readonly getOne: <R = RecordOf>(resource: string, call: OneCall) => Promise<One<R>>
  readonly getMany: <R = RecordOf>(resource: string, call: ManyCall) => Promise<Many<R>>
  readonly getManyReference: <R = RecordOf>(resource: string, call: ReferenceCall) => Promise<List<R>>
  readonly create: <R = RecordOf>(resource: string, call: Call & Writing) => Promise<One<R>>
  readonly update: <R = RecordOf>(resource: string, call: OneCall & Writing) => Promise<One<R>>
  readonly updateMany: (resource: string, call: ManyCall & Writing) => Promise<Many<Id>>
  readonly delete: <R = RecordOf>(resource: string, call: OneCall) => Promise<One<R>>
  readonly deleteMany: (resource: string, call: ManyCall) => Promise<Many<Id>>
}
