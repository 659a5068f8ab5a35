import type { ExplorerOptions } from '../../schemas/explorer.ts'
import type { Api } from '../api/answer.ts'

/** The facts that all pages of one registration share. */
export interface Exploring {
  /** The API, whose listings have their links in the header, wherever the application puts them. */
  readonly api: Api
  readonly title: string
  /** The application's page for logging in. */
  readonly login?: string
}

/** Prepares the pages of an API. */
export function compileExploring (api: Api, { title, login }: ExplorerOptions): Exploring {
  const { options } = api
  const answers = { ...options.answers, pageLinks: 'header', previousLink: true, linkLength: Infinity } as const
  return {
    api: { ...api, options: { ...options, answers } },
    ...login !== undefined && { login },
    title: title ?? options.openapi?.info?.title ?? 'Data API'
  }
}
