import { existsSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { DataApiError } from '../../core/errors/errors.ts'
import { printable } from '../../core/errors/printable.ts'

/** The output of a command. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  readonly isTerminal: boolean
  /** Default: standard input. */
  readonly input?: Readable
}

/** An error that a user can mend, told in one line. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  constructor (message: string, { exitCode = 1, cause }: { readonly exitCode?: 1 | 2, readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** Returns an error in one line. */
export function explain (error: unknown): string {
  const message = error instanceof DataApiError && error.cause instanceof Error
    ? error.cause.message
    : error instanceof Error ? error.message : String(error)
  return printable(message.replaceAll(/\s*\n\s*-?\s*/g, ' '))
}

/** Quotes a word for a shell where that is necessary. */
export const shellWord = (text: string): string =>
  /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The time after which a line says what a step does, in milliseconds. */
const quiet = 700

/** Returns a function that tells on one line what takes long, no more than once each tenth of a second. */
export function makeProgress ({ error, isTerminal }: Terminal): { tell (text: string): void, end (): void } {
  let next = performance.now() + quiet
  let told = false
  return {
    tell (text) {
      const now = performance.now()
      if (now < next || (told && !isTerminal)) return
      error(isTerminal ? `\r\u001B[K${printable(text)}` : `${printable(text)}\n`)
      told = true
      next = now + 100
    },
    end () {
      if (told && isTerminal) error('\r\u001B[K')
    }
  }
}

/** Returns the version of this package. */
export const readVersion = (): string => readPackage().version

interface Package { readonly version: string, readonly peerDependencies: Readonly<Record<string, string>> }

/** Returns what the package.json of this package says: the nearest one above sources, compiled files and bundles. */
function readPackage (): Package {
  let folder = new URL('./', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder)
  return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Package
}
