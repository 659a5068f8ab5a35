import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DeclarationError } from '../../../errors/errors.ts'
import { resultCode } from './faults.ts'

/** Opens a file. Throws a DeclarationError that says why SQLite cannot open it, which its own error does not. */
export function explainOpening<T> (file: string, { readOnly }: { readonly readOnly: boolean }, open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (resultCode(cause) !== cannotOpen) throw cause
    throw new DeclarationError(`sqlite('${file}'): ${reasonFor(file, readOnly)}`, { cause })
  }
}

// SQLITE_CANTOPEN (sqlite.org/rescode.html).
const cannotOpen = 14

function reasonFor (file: string, readOnly: boolean): string {
  if (/^postgres(?:ql)?:/i.test(file)) return 'expected a path; write postgres(url) for PostgreSQL'
  if (file.startsWith('file:')) return 'the file of this URI cannot be opened'
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return 'this is a folder; name a file in it'
  if (found !== undefined) return 'the file cannot be opened; check who may read it'
  const folder = dirname(file)
  const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isThere) return `there is no folder '${folder}'`
  return readOnly ? 'there is no such file, and none is made with readOnly' : `no file can be made in '${folder}'`
}
