import type { Context } from './context.ts'

/**
 * Decides if this caller is allowed. False is 403. An error with a `statusCode` of 401 or 403 is that status, with the
 * error's message and `headers`; any other error is 403 and is logged. Called once for each request, and once
 * its body has come.
 */
export type Rule = (context: Context) => boolean | Promise<boolean>

/**
 * Who may do what: a rule, `true` for everybody, `false` for nobody. In an API with rules, each operation that can be
 * served has one (docs/rules.md: Who may do what).
 */
export interface OperationRules {
  /** Allows to read the collection. If it denies, other collections do not show their relations to it either. */
  read?: Rule | boolean
  create?: Rule | boolean
  update?: Rule | boolean
  delete?: Rule | boolean
}
