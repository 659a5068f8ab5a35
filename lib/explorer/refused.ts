import { DataApiError } from '../errors/errors.ts'
import type { Answer } from '../response/answer.ts'
import type { Filled } from './form.ts'
import type { Html } from './html.ts'
import { showing } from './page-answer.ts'

/** Returns the form again for a fault that the person can mend. Throws every other error. */
export function refused (error: unknown, show: (error: DataApiError) => Html): Answer {
  if (!(error instanceof DataApiError) || !mendable.has(error.code)) throw error
  return showing(error.statusCode, () => show(error))
}

const mendable: ReadonlySet<string> = new Set([
  'validation', 'argument', 'duplicate', 'reference', 'constraint', 'precondition_failed', 'precondition_required'
])

/** Returns the messages of an error by the names of the fields that it is about. */
export function faultsOf ({ message, facts: { details, fields = [] } }: DataApiError): Filled['faults'] {
  const faults = new Map<string, string[]>()
  const add = (name: string, text: string) => { faults.set(name, [...faults.get(name) ?? [], text]) }
  for (const { pointer, message: text } of details ?? []) add(nameIn(pointer), text)
  for (const name of fields) add(name, message)
  if (faults.size === 0) add('', message)
  return faults
}

/** Returns the first name of a JSON pointer (RFC 6901). */
const nameIn = (pointer: string) => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
