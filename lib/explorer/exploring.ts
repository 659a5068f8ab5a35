import type { ExplorerOptions } from '../../schemas/explorer.ts'
import type { Api } from '../api/answer.ts'
import type { Place } from './place.ts'
import { checkViews } from './views.ts'

/** The facts that all pages of one registration share. */
export interface Exploring {
  /** The API, whose listings have their links in the header, wherever the application puts them. */
  readonly api: Api
  readonly title: string
  /** The application's page for logging in. */
  readonly login?: string
  /** The hosts that images come from. */
  readonly images: readonly string[]
}

/** Prepares the pages of an API. Throws a DeclarationError for a view that is no request of the API. */
export function compileExploring (api: Api, { title, login, images = [] }: ExplorerOptions): Exploring {
  const { options } = api
  const answers = { ...options.answers, pageLinks: 'header', previousLink: true, linkLength: Infinity } as const
  for (const collection of api.model.collections.values()) checkViews(collection, options)
  return {
    api: { ...api, options: { ...options, answers } },
    ...login !== undefined && { login },
    images,
    title: title ?? options.openapi?.info?.title ?? 'Data API'
  }
}

/** Returns the members of a place that do not depend on the request. */
export const knownOf = (
  { api: { options }, title, images }: Exploring
): Pick<Place, 'title' | 'images' | 'syntax' | 'reads' | 'hasStreams' | 'spot'> =>
  ({ title, images, syntax: options.syntax, reads: options.reads, hasStreams: options.streams(), spot: undefined })
