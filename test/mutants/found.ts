import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { faults } from './faults.ts'

// found.txt: a line for each fault that a test has found, in the order of the faults. A line begins with the commit on
// which that was, and ends with the file of tests.

const list = new URL('found.txt', import.meta.url)

/** Returns the lines by the names of their faults. */
export function readFound (): ReadonlyMap<string, string> {
  const lines = readFileSync(list, 'utf8').split('\n').filter(line => line !== '')
  return new Map(lines.map(line => [line.replace(/^\w+ /, '').replace(/: [\w/-]+$/, ''), line]))
}

/** The commit that is checked out. */
export const currentCommit = () => execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()

/** What became of a fault. `by`: the file of tests that found it; undefined where none did. */
interface Result { readonly what: string, readonly by: string | undefined }

/** Writes the lines of faults that were looked for; the others stay, but for those of faults that are missed now. */
export function noteFound (commit: string, results: readonly Result[]): void {
  const before = readFound()
  const now = new Map(results.map(({ what, by }) => [what, by && `${commit} ${what}: ${by}`]))
  const lines = faults.map(({ what }) => now.has(what) ? now.get(what) : before.get(what))
  writeFileSync(list, lines.filter(line => line !== undefined).map(line => `${line}\n`).join(''))
}
