import { mainScenarios, rangesOf, readResults, readRivals, tableOf } from './summary.ts'

// npm run bench:summary prints the tables of docs/speed.md and of README, made of the results of all machines.

const results = readResults('benchmarks/results')
console.log(`${tableOf(results)}\n`)
console.log(rangesOf(mainScenarios, results, readRivals('benchmarks/rivals.md')))
