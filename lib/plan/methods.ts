import type { ResourceKind } from './walk.ts'

/** A method that some resource takes. */
export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'QUERY'

const reading: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']

const byKind = {
  directory: reading,
  collection: [...reading, 'QUERY'],
  dictionary: reading,
  item: reading,
  scalar: reading
} as const satisfies Record<ResourceKind, readonly Method[]>

/** The methods that a resource takes, as OPTIONS and 405 tell them (docs/http.md: URLs). */
export const allowedMethods = (resource: ResourceKind): readonly Method[] => byKind[resource]

/** The method, if it is among the allowed. */
export const findMethod = (method: string, allowed: readonly Method[]): Method | undefined => allowed.find(one => one === method)
