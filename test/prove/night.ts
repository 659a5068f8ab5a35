import { proveRules as proveBuilt } from 'fastify-data-api/prove'
import { ProofError, proveRules } from '../../lib/tools/testing/prove/index.ts'
import { buildDesk, member } from './desk.ts'
import { examples } from './examples.ts'
import { mistakes } from './mistakes.ts'
import { buildNotes, member as reader } from './notes.ts'

// npm run test:prove: how many of PROVE_SEEDS seeds (default 100) find each mistake within 2,000 requests, and that the
// examples show no difference in 20,000. Exits with 1 where fewer than 95 in 100 do.

const seeds = Number(process.env['PROVE_SEEDS'] ?? 100)

const proofs = {
  ...Object.fromEntries((['forgotten scope', 'computed', 'lookup', 'hook'] as const).map(mistake =>
    [`notes: ${mistake}`, { app: () => buildNotes(mistake), callers: { member: reader } }])),
  ...Object.fromEntries(Object.entries(mistakes).map(([name, mistake]) =>
    [name, { app: () => buildDesk(mistake), callers: { member }, routes: mistake.routes ?? [] }]))
}

for (const [name, options] of Object.entries(proofs)) {
  const found: number[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const error = await proveRules({ ...options, seed, requests: 2000 }).catch((error: unknown) => error)
    if (error instanceof Error && !(error instanceof ProofError)) throw error
    if (error instanceof ProofError && / can tell /.test(error.message.split('\n')[0] ?? '')) found.push(error.requests)
  }
  found.sort((one, other) => one - other)
  console.log(`${found.length} of ${seeds} seeds, median ${found[found.length >> 1]}, most ${found.at(-1)}: ${name}`)
  if (found.length < seeds * 0.95) process.exitCode = 1
}

for (const [name, optionsOf] of Object.entries(examples)) {
  // The examples import the package by its name.
  const { requests } = await proveBuilt({ ...await optionsOf(), seed: 1, requests: 20_000 })
  console.log(`no difference in ${requests} requests: ${name}`)
}
