import { invalidFields, invalidFilter } from '../errors/errors.ts'
import type { TextPlace } from './request.ts'
import type { Syntax } from './syntax.ts'

/**
 * The comparisons, values of lists and fields that a request may still use. One budget counts those of all its
 * parameters and nested queries.
 */
export interface Budget {
  /** Counts a comparison. Throws invalid_filter above the limit. */
  spendTerm (at: TextPlace): void
  /** Counts a value of a list. Throws invalid_filter above the limit. */
  spendValue (at: TextPlace): void
  /** Counts a field of a selection. Throws invalid_fields above the limit. */
  spendField (at: TextPlace): void
}

export function makeBudget ({ limits }: Syntax): Budget {
  let terms = 0
  let values = 0
  let fields = 0
  return {
    spendTerm (at) {
      if (++terms <= limits.terms) return
      throw invalidFilter(`A request can have at most ${limits.terms} comparisons (limit 'terms').`, at)
    },
    spendValue (at) {
      if (++values <= limits.listValues) return
      const most = `${limits.listValues} values together (limit 'listValues')`
      throw invalidFilter(`The lists of a request can have at most ${most}.`, at)
    },
    spendField (at) {
      if (++fields <= limits.fields) return
      throw invalidFields(`A request can name at most ${limits.fields} fields (limit 'fields').`, at)
    }
  }
}
