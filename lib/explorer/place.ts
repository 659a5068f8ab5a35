import type { Permissions, RequestOptions } from '../plan/request.ts'
import type { Resource } from '../plan/path/walk.ts'
import type { Query } from '../request/request.ts'
import type { Syntax } from '../request/syntax.ts'
import { formatPath, type Parts, type Site } from '../response/paths.ts'
import type { Part } from './words.ts'

/** The place of a page: the request of the API that it shows, and the caller's permissions there. */
export interface Place {
  readonly title: string
  /** The hosts that images come from. */
  readonly images: readonly string[]
  readonly site: Site
  /** The syntax of the resource; that of the API for an error. */
  readonly syntax: Syntax
  readonly reads: RequestOptions['reads']
  /** True if collections are answered as NDJSON and CSV too. */
  readonly hasStreams: boolean
  /** True for a page of a live document. */
  readonly isLive?: boolean
  /** Returns a new key for a write of the page; undefined where the caller sends none, and for errors. */
  readonly formKey?: () => string | undefined
  /** Undefined for an error whose request leads nowhere. */
  readonly spot: Spot | undefined
  /** The parts of each segment of the path. */
  readonly parts: readonly Parts[]
  /** The parts of the query string, the explorer's own words among them. */
  readonly query: readonly Part[]
}

/** A resource, as its caller may see it. */
export interface Spot {
  /** The query of the request. */
  readonly asked: Query
  readonly resource: Resource
  readonly permissions: Permissions
}

/** A place of one kind of resource. */
export interface PlaceOf<K extends Resource['kind']> extends Place {
  readonly spot: Spot & { readonly resource: Extract<Resource, { kind: K }> }
}

/** Returns true for a place of that kind of resource. */
export const isOf = <K extends Resource['kind']>(
  kind: K, place: Place & { readonly spot: Spot }
): place is PlaceOf<K> => place.spot.resource.kind === kind

/** Returns the path of a resource below that of the page. */
export const pathTo = ({ site, parts }: Place, more: readonly Parts[] = []): string =>
  formatPath(site, [...parts, ...more])

/** Returns the path of a resource below the API's root. */
export const rootPathTo = ({ site }: Place, parts: readonly Parts[]): string => formatPath(site, parts)
