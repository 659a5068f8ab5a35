import type { CollectionView, Face, RelationView, ResourceView, Sight, ValueView } from '../../core/api/face.ts'
import type { Components } from './components.ts'
import type { OperationMethod } from './objects.ts'
import { isNameable, type Profile } from './profiles.ts'

/** All that the parts of a document depend on. */
export interface Describing {
  readonly face: Face
  /** What the reader of the document may see and do. */
  readonly sight: Sight
  readonly profile: Profile
  readonly components: Components
  /** Returns an operation's identifier that the document does not have yet. */
  operationId (name: string): string
}

/** What an operation is on: the root of the API. */
export interface OnRoot { readonly tags: readonly string[] }
/** A dictionary of the collection. */
export interface OnCollection extends OnRoot { readonly collection: CollectionView }
/** The values of these fields. */
export interface OnFields extends OnCollection { readonly fields: readonly ValueView[] }
/** A collection, or an item of it. */
export interface OnResource extends OnCollection { readonly resource: ResourceView }
/** Those that an item has by the relation. */
export interface OnRelation extends OnResource { readonly via: RelationView }

/** Makes a piece of an operation; returns undefined if the operation has no such piece. */
export type Piece<On, Made> = (on: On, describing: Describing) => Made | undefined

/** What an operation or a piece of it needs: that of the profile, or one of the facts below. */
export type Need = keyof Profile | keyof typeof facts

/** Returns a piece that an operation has if all needs are met. */
export const when = <On extends OnRoot, Made>(needs: readonly Need[], piece: Piece<On, Made>): Piece<On, Made> =>
  (on, describing) => needs.every(need => holds(need, on, describing)) ? piece(on, describing) : undefined

/** Returns true if the operation that is made, of this method, has what is needed. */
export const holds = (need: Need, on: Asked, describing: Describing, method?: OperationMethod): boolean =>
  isFact(need) ? facts[need](on, describing, method) : describing.profile[need] === true

const isFact = (need: Need): need is keyof typeof facts => Object.hasOwn(facts, need)

type Asked = OnRoot & Partial<Pick<OnRelation, 'collection' | 'resource' | 'via'>>
type Fact = (on: Asked, describing: Describing, method: OperationMethod | undefined) => boolean

const facts = {
  takesBatches: (_, { face }) => face.operations > 0,
  takesKeys: (_, { face }) => face.takesKeys,
  linksInHeader: (_, { face: { pageLinks } }) => pageLinks === 'header' || pageLinks === 'both',
  linksInBody: (_, { face: { pageLinks } }) => pageLinks === 'wrapped' || pageLinks === 'both',
  /** The profile can use the names of all members that a new item must have. */
  nameable: ({ resource }, { profile }) =>
    resource?.requirements.every(({ field }) => isNameable(field, profile)) === true,
  direct: ({ via }) => via === undefined,
  behind: ({ via }) => via !== undefined,
  /** A batch has no collection of its own. */
  tries: ({ collection }, { sight }) =>
    (collection === undefined ? sight.collections : [collection]).some(({ strategies }) => strategies.dryRun === true),
  /** The URL of an item that is not there creates it, or elements of arrays create theirs. */
  upserts: ({ collection, via }) => via === undefined && collection?.strategies.upsert === true,
  upsertsEach: ({ collection }) => collection?.strategies.upsert === true,
  imports: ({ collection }, { face, profile }) =>
    profile.streams === true && face.importTypes.length > 0 && collection?.strategies.import === true,
  updatesAll: ({ resource }) => resource?.updatesAll === true,
  /** The method is the one by which a profile with one operation for updates has them. */
  updates: ({ resource }, { profile }, method) =>
    profile.allUpdates === true ||
    resource?.methods.findLast(one => one === 'PUT' || one === 'PATCH') === method?.toUpperCase(),
  creates: ({ via }) => via?.creates === true,
  unlinks: ({ resource }) => resource?.unlinks === true,
  /** The caller may use the method on some items only. */
  someItems: ({ resource }, _, method) =>
    resource?.methods.some(one => one === method?.toUpperCase() && resource.dependsOnItem(one)) === true
} as const satisfies Readonly<Record<string, Fact>>
