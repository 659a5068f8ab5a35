import { DataApiError, type Facts } from './errors.ts'

/** Returns a member's name as a reference token of a JSON pointer (RFC 6901). */
export const tokenOf = (name: string) =>
  name.includes('~') || name.includes('/') ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${name}`

/** A copy of the error that points at one element of a body; the error itself where it points at one already. */
export function atPointer (error: DataApiError, pointer: string): DataApiError {
  if (pointer === '' || error.facts.pointer !== undefined) return error
  return new DataApiError(error.code, error.message, { ...error.facts, pointer, cause: error.cause })
}

/** A copy of the error that tells the line of an import; the error itself where it tells one already. */
export function atLine (error: DataApiError, line: number): DataApiError {
  if (error.facts.line !== undefined) return error
  return new DataApiError(error.code, error.message, { ...error.facts, line, cause: error.cause })
}

/**
 * Returns the error of a slice of an import, whose pointers begin with the index of a line, with the numbers of these
 * lines. `numbers`: those of the slice. An error of the application stays as it is.
 */
export function inLines (error: unknown, numbers: readonly number[]): unknown {
  if (!(error instanceof DataApiError)) return error
  const { pointer, details, ...facts } = error.facts
  if (facts.line !== undefined) return error
  const placed = details?.map(one => one.line === undefined ? { ...one, ...placeOf(one.pointer, numbers) } : one)
  const { line, pointer: own = '' } = pointer === undefined
    ? { line: placed?.[0]?.line ?? (numbers.length === 1 ? numbers[0] : undefined) }
    : placeOf(pointer, numbers)
  return new DataApiError(error.code, error.message, {
    ...facts,
    ...line !== undefined && { line },
    ...own !== '' && { pointer: own },
    ...placed && { details: placed },
    cause: error.cause
  } satisfies Facts)
}

/** Returns the line of a pointer that begins with its index, and the rest of the pointer. */
function placeOf (pointer: string, numbers: readonly number[]): { readonly line?: number, readonly pointer: string } {
  const [, index = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(pointer) ?? []
  const line = numbers[Number(index)]
  return line === undefined || index === '' ? { pointer } : { line, pointer: rest }
}
