/**
 * A mistake in a body, or in a line of an import. `pointer` is a JSON pointer (RFC 6901) in names on the wire. A
 * function makes a message that takes time, and is called for mistakes that an error lists.
 */
export interface Violation {
  readonly line?: number
  readonly pointer: string
  readonly message: string | (() => string)
}

export interface PlainViolation extends Violation { readonly message: string }

export const messageOf = ({ message }: Violation): string => typeof message === 'string' ? message : message()
