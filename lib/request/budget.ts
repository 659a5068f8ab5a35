import { invalidFields, invalidFilter } from '../errors.ts'
import type { TextPlace } from './request.ts'
import type { Syntax } from './syntax.ts'

/** What one request may still ask for, however it is spread over its parameters and nested queries. */
export interface Budget {
  /** Throws invalid_filter where there are too many comparisons. */
  spendTerm (at: TextPlace): void
  /** Throws invalid_fields where too many fields are named. */
  spendField (at: TextPlace): void
}

export function makeBudget ({ limits }: Syntax): Budget {
  let terms = 0
  let fields = 0
  return {
    spendTerm (at) { if (++terms > limits.terms) throw invalidFilter(`A request can have at most ${limits.terms} comparisons.`, at) },
    spendField (at) { if (++fields > limits.fields) throw invalidFields(`A request can name at most ${limits.fields} fields.`, at) }
  }
}
