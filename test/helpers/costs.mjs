import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// The CPU seconds of a run of tests, which its processes note for the reporter.

const folder = new URL('../../.tap/costs/', import.meta.url)

/** The name of the PostgreSQL server, which is no child of the run. */
export const postgresCosts = 'PostgreSQL'

/** Forgets the last run. */
export function clearCosts () {
  rmSync(folder, { recursive: true, force: true })
}

/** Notes the CPU seconds of the files of one process by their names. */
export function noteCosts (group, costs) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${group}.json`, folder), JSON.stringify(costs))
}

/** Returns the CPU seconds of all files that were noted, the dearest first. */
export function readCosts () {
  const notes = existsSync(folder) ? readdirSync(folder) : []
  return notes.flatMap(note => Object.entries(JSON.parse(readFileSync(new URL(note, folder), 'utf8'))))
    .sort(([, one], [, other]) => other - one)
}
