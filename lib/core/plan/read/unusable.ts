import { invalidFields, invalidFilter, invalidPage, invalidSort } from '../../errors/errors.ts'
import type { Query } from '../../request/request.ts'

type Kind = keyof Query['at']

const makers = {
  filter: invalidFilter, sort: invalidSort, fields: invalidFields, page: invalidPage
} as const satisfies Record<Kind, unknown>

const verbs = {
  filter: 'filtered', sort: 'sorted', fields: 'limited to selected fields', page: 'paged'
} as const satisfies Record<Kind, string>

/**
 * Throws the error of the first of these kinds of parameters that the query has (docs/http.md: URLs). `resource` is the
 * subject of the message, such as `a single item`.
 */
export function refuse (query: Query, kinds: readonly Kind[], resource: string): void {
  for (const kind of kinds) {
    const at = query.at[kind]
    if (at === undefined) continue
    throw makers[kind](`The parameter '${at.parameter}' cannot be used here: ${resource} cannot be ${verbs[kind]}.`, at)
  }
}
