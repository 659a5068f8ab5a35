import { invalidFields, invalidFilter, invalidPage, invalidSort } from '../errors.ts'
import type { Query } from '../request/request.ts'

type Kind = keyof Query['at']

const makers = { filter: invalidFilter, sort: invalidSort, fields: invalidFields, page: invalidPage } as const satisfies Record<Kind, unknown>

const verbs = { filter: 'filtered', sort: 'sorted', fields: 'limited to selected fields', page: 'paged' } as const satisfies Record<Kind, string>

/** Throws for the first parameter of the kinds that this resource cannot use (docs/http.md: URLs). `resource` stands in the message, as in `an item`. */
export function refuse (query: Query, kinds: readonly Kind[], resource: string): void {
  for (const kind of kinds) {
    const at = query.at[kind]
    if (at !== undefined) throw makers[kind](`The parameter '${at.parameter}' cannot be used here: ${resource} cannot be ${verbs[kind]}.`, at)
  }
}
