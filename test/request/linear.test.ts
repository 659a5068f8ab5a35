import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { test } from 'tap'
import { readers } from '../helpers/readers.ts'

/** Steps of a reader for a text of 33,000 characters: read in one, and read in 33 pieces. */
interface Steps { readonly name: string, readonly inOne: number, readonly inPieces: number }

// A quadratic reader takes 33 times as many steps for the whole as for its pieces, a linear one about as many.
const mostRatio = 2

test('reading takes steps linear in the length of the text', async t => {
  const counts: Steps[] = []
  // The counter takes the coverage of its thread for itself, so that of the test run must not be collected there.
  const env = { ...process.env, NODE_V8_COVERAGE: '' }
  const worker = new Worker(new URL('../helpers/count-reader-steps.ts', import.meta.url), { env })
  worker.on('message', (steps: Steps) => { counts.push(steps) })
  await once(worker, 'exit')
  t.strictSame(counts.map(({ name }) => name), Object.keys(readers))
  for (const { name, inOne, inPieces } of counts) {
    t.ok(inPieces > 0 && inOne <= mostRatio * inPieces, `${name}: ${inPieces} steps in pieces, ${inOne} in one`)
  }
})
