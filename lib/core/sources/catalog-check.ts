import { DeclarationError } from '../errors/errors.ts'
import type { Collection } from '../model/model.ts'

/** What a difference between the declarations and the tables does to the start of the application. */
export type CheckMode = 'error' | 'warn' | 'off'

/** A difference between a declaration and its table. */
export interface Finding {
  /** `fault`: it cannot be right. `warning`: the catalog cannot tell. */
  readonly kind: 'fault' | 'warning'
  readonly message: string
}

/** The comparison of declarations with the catalog of one database (docs/databases.md: Declarations and tables). */
export interface CatalogCheck {
  readonly mode: CheckMode
  /**
   * Reads what the plans of requests need to know about the tables of collections; absent if that is read when it is
   * needed. Rejects with `unavailable` if the database cannot be reached.
   */
  prepare?: ((collections: readonly Collection[]) => Promise<void>) | undefined
  /** Compares collections of the database. Rejects with `unavailable` if the database cannot be reached. */
  run (collections: readonly Collection[]): Promise<readonly Finding[]>
}

export const messagesOf = (findings: readonly Finding[], kind: Finding['kind']): readonly string[] =>
  [...new Set(findings.filter(finding => finding.kind === kind).map(({ message }) => message))]

export function faultyDeclarations (faults: readonly string[]): DeclarationError {
  const head = faults.length === 1
    ? 'a declaration does not fit its table'
    : `${faults.length} declarations do not fit their tables`
  return new DeclarationError(`${head}:\n${faults.map(fault => `- ${fault}`).join('\n')}`)
}
