import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { seed } from './helpers/fast-check.ts'
import { withoutPostgres } from './helpers/on-postgres.ts'

// docs/faults.md: Faults. Three experiments in their short form: whatever strikes, what was acknowledged is there,
// once and whole. The gate runs all nine (.ci/run).

const program = fileURLToPath(new URL('../dist/test/faults/run.js', import.meta.url))

const experiments: ReadonlyArray<readonly [what: string, name: string, ...options: readonly string[]]> = [
  ['a process that is killed loses nothing that it acknowledged on SQLite', 'sqlite-kill', '--kills', '2'],
  ['constraints that are deferred to the commit are answered as they turn out', 'deferred-constraints'],
  ...withoutPostgres
    ? []
    : [
        ['a connection that breaks at any message of a write loses nothing that was acknowledged', 'postgres-frames']
      ] as const
]

for (const [what, name, ...options] of experiments) {
  test(what, { timeout: 600_000 }, async t => {
    const { code, output } = await run([name, '--quick', '--seed', String(seed), ...options])
    t.equal(code, 0, output)
  })
}

function run (args: readonly string[]): Promise<{ readonly code: number | null, readonly output: string }> {
  return new Promise((resolve, reject) => {
    // Without tap's modules, which would follow the coverage of each process that is killed.
    const env = { ...process.env, NODE_OPTIONS: '' }
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => { output += String(data) })
    child.on('error', reject).on('close', code => { resolve({ code, output }) })
  })
}
