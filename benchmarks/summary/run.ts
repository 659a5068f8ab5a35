import { mainScenarios, rangesOf, readResults, readRivals, sources, tableOf } from './summary.ts'

// npm run bench:summary prints the tables of docs/speed.md and of README, made of the results of all machines.

const results = readResults('benchmarks/results')
for (const source of sources) console.log(`${tableOf(source, results)}\n`)
console.log(rangesOf(mainScenarios, results, readRivals('benchmarks/rivals.md')))
