import type { TSchema } from '@sinclair/typebox'
import type { OpenApiOptions } from '../../../schemas/openapi.ts'
import type { Context } from '../declare/collection.ts'
import type { OnDelete, ValueRange } from '../declare/source.ts'
import type { DataApiError } from '../errors/errors.ts'
import type { Operator } from '../model/operators.ts'
import type { Strategies } from '../model/strategies.ts'
import type { Method } from '../plan/path/methods.ts'
import type { AggregateName } from '../plan/plan.ts'
import type { TimeUnit } from '../plan/time-units.ts'
import type { Body } from '../request/body.ts'
import type { RequestText, RequestTarget } from '../request/parse.ts'
import type { FieldAsked, Query } from '../request/request.ts'
import type { Syntax } from '../request/syntax.ts'
import type { Answer, LiveNeeds } from '../response/answer.ts'
import type { PathParts, Site } from '../response/paths.ts'
import type { CollectionRights } from '../rules/rights.ts'
import type { PlannedFacts } from './request-facts.ts'

// What doors know of the core (docs/architecture.md: The face): they ask as a caller, and see what that may know.

export type { CollectionRights }

/** An API, as its doors see it. */
export interface Face {
  readonly info: NonNullable<OpenApiOptions['info']> & { readonly title: string, readonly version: string }
  readonly syntax: Syntax
  /** True if the answers to some requests depend on the caller, and if the rules tell callers apart. */
  readonly personal: boolean
  readonly callersDiffer: boolean
  /** True if writes can have keys. */
  readonly takesKeys: boolean
  /** The media types of imports; none where streams are not imported. */
  readonly importTypes: readonly string[]
  /** The most operations of a batch; 0 where the root takes none. */
  readonly operations: number
  /** The form of answers: the body of a creation, and where the links of a page stand. */
  readonly createdBody: 'id' | 'status' | 'none'
  readonly pageLinks: 'header' | 'wrapped' | 'both' | 'none'
  /** The names of resources beside the collections: the OpenAPI document, and the door for agents. */
  readonly documentAt: string | undefined
  readonly agentsAt: string | undefined
  /** The site that the application names as its own. */
  readonly site: Site | undefined
  /** The collections as they are declared, whoever may see them. */
  readonly collections: readonly CollectionView[]
  /** What somebody sees who may do what not everybody is denied. */
  readonly anyone: Sight
  /** Returns true if collections are answered as NDJSON and CSV too. */
  streams (): boolean
  /** Returns the collection of this name if all callers see it alike, and may read it. */
  openTo (name: string): CollectionView | undefined
  /** Returns where a request leads, as its target alone tells it. Throws malformed_url. */
  locate (text: Pick<RequestText, 'url' | 'rootLength' | 'router' | 'origin'>): RequestPlace
  /** Returns the same API with other limits of its answers, for a door that shows them in another form. */
  with (limits: AnswerLimits): Face
  /** Returns who asks for a request that came by the door. The rules of what is touched are asked once. */
  as (who: Who): Visitor
  /** Has `mark` called for each change that may concern what `followed` has read, until the returned function is. */
  watch (followed: Followed): () => void
  /** Returns the position of the changes that were told until now. */
  position (): number
  /** Returns true if a document may have changed since the position. */
  hasChanged (live: LiveNeeds, since: number): boolean
}

/** Where a request leads. `root`: the path of the API's root on this server; `site` is as clients see it. */
interface RequestPlace extends Pick<RequestTarget, 'parts' | 'query'> { readonly site: Site, readonly root: string }

/** The limits that a door may set for the answers that it gets. What is left out is as the application has it. */
export interface AnswerLimits {
  readonly pageLinks?: Face['pageLinks']
  readonly previousLink?: boolean
  /** In characters: of a link in a header, and of an answer, whose own limit stays if it is lower. */
  readonly linkLength?: number
  readonly length?: number
  /** The most items on a page. */
  readonly mostOnPage?: number
  readonly operations?: number
  /** True for URLs without an origin, JSON alone, and pages by their plain number. */
  readonly plain?: boolean
}

/** Who asks. `text`: the request of the door, on which its own requests are based. */
export interface Who {
  readonly request: Context['request']
  readonly text: RequestText
  /** Returns true once nobody waits for what is read. Default: once the client of the request has left. */
  readonly isAbandoned?: () => boolean
  /** Is told what the request of the door is. */
  readonly note?: (facts: PlannedFacts) => void
}

/** Who asks an API through a door. */
export interface Visitor {
  /** Answers the request of the door as it was sent. */
  answer (): Answer | Promise<Answer>
  /** Answers a request of the door's own. Rejects with the errors of the API. */
  ask (asked: Ask): Promise<Answer>
  /** Returns the resource of the request of the door. Rejects as a request for it does. */
  resource (): Promise<ResourceView>
  /** Returns what the caller may see and do in these collections. Default: in all. */
  sight (names?: readonly string[]): Promise<Sight>
  /** Returns what the caller may do to each collection, also to those that it may not use. Reads no data. */
  rights (): Promise<readonly CollectionRights[]>
  /** Returns true if the caller may send keys of writes. */
  hasKeys (): boolean
}

/** A request of a door's own: that of the door, but for what stands here, and without its headers and its body. */
export interface Ask {
  readonly method?: Method
  /** The path and the query, as the server takes them. */
  readonly url?: string
  readonly prefer?: string | undefined
  readonly ifMatch?: string
  readonly idempotencyKey?: string | undefined
  /** A value of JSON, or what was received. */
  readonly body?: unknown
  readonly received?: Body
  /** True if it is what the request of the door is about: who asks is told its facts. */
  readonly noted?: boolean
}

/** What a caller may see and do. */
export interface Sight {
  /** The collections that the caller may use in any way. */
  readonly collections: readonly CollectionView[]
  /** Returns a resource of a collection, as a path without groups leads to it. */
  at (place: ResourcePlace): ResourceView
}

/** A kind of resource of a collection. `via`: the relation behind which it is; `field`: whose value it is. */
export interface ResourcePlace {
  readonly kind: 'collection' | 'item' | 'scalar' | 'dictionary'
  readonly collection: CollectionView
  readonly via?: RelationView | undefined
  readonly field?: ValueView
}

/** A resource, and what its caller may do there. */
export interface ResourceView {
  readonly kind: 'directory' | 'collection' | 'dictionary' | 'item' | 'scalar'
  /** The collection of its items; undefined for the directory. */
  readonly collection: CollectionView | undefined
  /** The relation that its path ends with. */
  readonly via: RelationView | undefined
  /** The field of a scalar. */
  readonly field: ValueView | undefined
  /** The methods that the caller may use, without HEAD and OPTIONS, and those that everybody may who has all rights. */
  readonly methods: readonly Method[]
  readonly allowed: readonly Method[]
  /** True if clients can follow how it changes. */
  readonly isLive: boolean
  /** True if a path to all of its items led here, and not to some of them. */
  readonly isWhole: boolean
  /** True if PATCH also updates all items that a filter finds. */
  readonly updatesAll: boolean
  /** True if POST creates items; it may link items as well, or alone. */
  readonly creates: boolean
  /** The relation by which POST links items that exist; undefined if it links none. */
  readonly links: RelationView | undefined
  /** True if PUT replaces all links, and if DELETE takes an item out of its relation, and does not delete it. */
  readonly replaces: boolean
  readonly unlinks: boolean
  /** The fields of a new item that its path gives, and the members that its body must have. */
  readonly given: readonly FieldView[]
  readonly requirements: readonly Requirement[]
  /** Returns the error for a caller who may not use the method; undefined if no rule denies it. */
  denial (method: Method): DataApiError | undefined
  /** Returns true for a method that the caller may use on some items only. */
  dependsOnItem (method: Method): boolean
}

/** A member that the body of a new item must have. `instead`: lists of fields, all of one of which replace it. */
export interface Requirement {
  readonly field: FieldView
  readonly instead: ReadonlyArray<readonly FieldView[]>
}

/** A collection without the fields that its caller may neither read nor write: one object for all such callers. */
export interface CollectionView {
  /** The names on the wire, and in the application. */
  readonly name: string
  readonly property: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly group: string | undefined
  /** The views that the application names, by name: their queries as URLs have them. */
  readonly views: Readonly<Record<string, string>>
  readonly fields: readonly FieldView[]
  readonly key: readonly ValueView[]
  /** The lists of fields that name one item: in a URL, and in a body. */
  readonly inUrls: ReadonlyArray<readonly ValueView[]>
  readonly inBodies: ReadonlyArray<readonly ValueView[]>
  readonly identifiers: readonly IdentifierView[]
  /** The fields that people know items by, the one most like a name first: of those that answers show. */
  readonly names: readonly ValueView[]
  /** The requests that write it, as far as its table takes these writes. */
  readonly strategies: Strategies
  /** True if an item that is deleted is kept, and no longer shown. */
  readonly keepsDeleted: boolean
  readonly syntax: Syntax
  /** An object that is another one once the database has told more of the table. */
  readonly known: object
  /** Returns the members that an answer shows of an item: those asked for, or those of its form. Throws as GET does. */
  shape (fields: readonly FieldAsked[] | undefined, form: 'full' | 'listed'): ShownItem
  /** Returns the values that an answer shows of groups; undefined where the fields asked for make none. */
  groups (fields: readonly FieldAsked[] | undefined): readonly GroupValue[] | undefined
  /** Returns the number of items before a page; undefined where a cursor names it. */
  itemsBefore (page: Query['page']): number | undefined
  /** Returns the segments by which URLs lead to an item that shows these members: `most` ways. */
  addressesOf (item: Readonly<Record<string, unknown>>, most?: number): ReadonlyArray<readonly PathParts[]>
  /** Returns the error of GET for a query, as a URL has it; undefined if there is none. */
  faultIn (query: string): DataApiError | undefined
}

/** An identifier of a collection. `fields`: those of its value; undefined for one that the application looks up. */
export interface IdentifierView { readonly name: string, readonly fields: readonly ValueView[] | undefined }

export type FieldView = ValueView | RelationView

/** What all fields have. */
export interface NamedField {
  readonly name: string
  /** The schema that was declared, with its words for people. */
  readonly schema: TSchema
  readonly readable: boolean
  readonly writable: boolean
  readonly hidden: boolean
  readonly listed: boolean
  /** True if filters, orders and groups may name it. */
  readonly filterable: boolean
  readonly sortable: boolean
  readonly groupable: boolean
}

/** A field with a value. Only that of a `stored` field or an `input` can be written. */
export interface ValueView extends NamedField {
  readonly kind: 'stored' | 'expression' | 'computed' | 'input'
  /** The kind of its values, or what the schema of a computed field says. */
  readonly values: string
  readonly operators: ReadonlySet<Operator>
  /** True for JSON, which is not filterable, where filters may compare it with null: it may have no value. */
  readonly comparesNull: boolean
  readonly nullable: boolean
  /** True if a new item can be created without it. */
  readonly optional: boolean
  readonly identifier: boolean
  /** True for a part of the foreign key of a sub-item, and for a text of any form. */
  readonly refers: boolean
  readonly isText: boolean
  /** The ways in which its value can be changed by what it is. */
  readonly amendments: ReadonlyArray<'add' | 'append' | 'remove'>
  /** The units of time of its values. */
  readonly units: readonly TimeUnit[]
  /** The schema of the values that a client may give to it: `schema` within what its column takes. */
  readonly takenSchema: TSchema
  /** The values that its column may hold beside those of its type. */
  readonly range: ValueRange | undefined
  /** Returns the value of a text, as a URL has it; undefined for one of another type. */
  parse (text: string): unknown
}

/** A relation to one item, or to many. */
export interface RelationView extends NamedField {
  readonly kind: 'sub-item' | 'sub-collection'
  readonly holder: CollectionView
  readonly target: CollectionView
  /** True if an element in a body that names no item is a new one. */
  readonly creates: boolean
  /** True if a join table has its links. */
  readonly isJoin: boolean
  /** The foreign key: of the holder for a sub-item, of the target for a sub-collection, none for a join table. */
  readonly foreignKey: readonly ValueView[]
  /** What the database alone does with its items when their holder is deleted; undefined if that is not known. */
  readonly onDelete: OnDelete | undefined
}

/** The members of an item in an answer, in their order. */
export type ShownItem = readonly ShownMember[]

export type ShownMember = ShownValue | ShownRelation

interface ShownValue { readonly kind: 'value', readonly name: string, readonly field: ValueView }

/** A sub-item, a list of items, or what functions make of such a list. */
export interface ShownRelation {
  readonly kind: 'item' | 'list' | 'related'
  readonly name: string
  readonly field: RelationView
  readonly select: ShownItem
  readonly functions: readonly GroupValue[]
}

/** A value of a group of items: one that they share, or one that a function makes of theirs. */
export interface GroupValue {
  /** The name, as a selection has it, and the members that lead to the value. */
  readonly name: string
  readonly path: readonly string[]
  readonly call: AggregateName | undefined
  readonly unit: TimeUnit | undefined
  /** The field whose values these are; undefined where the items themselves are counted. */
  readonly of: ValueView | undefined
}

/** A document that somebody follows. `mark` has it read again. */
export interface Followed { readonly live: LiveNeeds, mark (): void }
