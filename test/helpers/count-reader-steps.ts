import { parentPort } from 'node:worker_threads'
import { stepCounter } from './count-steps.ts'
import { readers } from './readers.ts'

// A worker thread: tells the steps that each reader takes for one long text, and for the same length in pieces.

const pieces = 33
const pieceLength = 1_000
const steps = stepCounter('/lib/core/request/')

for (const [name, read] of Object.entries(readers)) {
  const [piece, whole] = ['x'.repeat(pieceLength), 'x'.repeat(pieces * pieceLength)]
  const inPieces = steps(() => { for (let index = 0; index < pieces; index++) read(piece) })
  parentPort?.postMessage({ name, inPieces, inOne: steps(() => read(whole)) })
}
parentPort?.close()
