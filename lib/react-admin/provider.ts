import { createClient, type ClientOptions } from '../client/index.ts'
import { asHttpError } from './failure.ts'
import { reads } from './reads.ts'
import { type ResourceOptions, resourcesOf } from './resource.ts'
import type { DataProvider } from './types.ts'
import { writes } from './writes.ts'

/** The options of a data provider. */
export interface DataProviderOptions extends ClientOptions {
  /** What the provider cannot know of the collections, by their names. */
  readonly resources?: Readonly<Record<string, ResourceOptions>>
  /** The method of updates, for an API that does not take PATCH. Default: `PATCH`. */
  readonly update?: 'PATCH' | 'PUT'
}

/** Returns a data provider of react-admin for the API at a URL (docs/react-admin.md). */
export function createDataProvider (
  url: string | URL, { resources = {}, update = 'PATCH', ...options }: DataProviderOptions = {}
): DataProvider {
  const at = resourcesOf(createClient(url, options), resources)
  const calls = Object.entries({ ...reads(at), ...writes(at, update) } as Readonly<Record<string, Call>>)
  // The types of records are the application's.
  return {
    supportAbortSignal: true,
    ...Object.fromEntries(calls.map(([name, call]) => [name, telling(call)]))
  } as DataProvider
}

type Call = (resource: string, call: never) => Promise<unknown>

/** Returns a call whose errors are those of react-admin. */
const telling = (call: Call): Call => async (resource, params) => {
  try {
    return await call(resource, params)
  } catch (error) {
    throw asHttpError(error)
  }
}
