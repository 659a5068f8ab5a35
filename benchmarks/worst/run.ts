import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine } from '../machine.ts'
import { formatNumber, formatTable } from '../table.ts'
import { buildEarlier } from './earlier.ts'
import { type Cost, measure } from './measure.ts'
import { worstRequests } from './requests.ts'
import { fillFile } from './world.ts'

// npm run bench:worst [-- --commit 077c31f] [--only comma]

const { values: { commit, only } } = parseArgs({
  options: { commit: { type: 'string', default: '077c31f' }, only: { type: 'string', default: '' } }
})

const earlier = buildEarlier(commit)
const today = new URL('../../lib/index.js', import.meta.url).href
const file = join(earlier.folder, 'worst.db')
process.once('exit', () => { rmSync(earlier.folder, { recursive: true }) })
fillFile(file)

const rows: string[][] = []
for (const request of worstRequests.filter(({ name }) => name.includes(only))) {
  const before = await measure(request, { entry: earlier.entry, file })
  const after = await measure(request, { entry: today, file })
  rows.push([request.name, after.end, ...cells(before), ...cells(after)])
  process.stderr.write(`${request.name}\n`)
}
const head = ['request', 'answer now', 'pages before', 'item beside', 'memory', 'pages now', 'item beside', 'memory']

function cells ({ pages, isUnended, wait, memory }: Cost): string[] {
  const least = isUnended ? 'over ' : ''
  return [
    `${least}${formatNumber(pages)}`, `${least}${Math.round(wait)} ms`,
    memory === undefined ? '' : `${Math.round(memory)} MB`
  ]
}

const text = [
  '# The worst single requests',
  `Made by \`npm run bench:worst\`, which sends each request to the package as it was at ${commit} and as it is now, ` +
    'each in a process of its own with 512 MB for objects, over a SQLite file of 100,000 children of 1,000 parents ' +
    'with 1,000 tags. "Pages" is CPU time of the process with all its threads, as a multiple of that of a page of 20 ' +
    'items in the same process. "Item beside" is the longest time in which a request for an item was answered ' +
    'meanwhile. "Memory" is the most that the process had. A request that has no end within 13 s is broken off ' +
    '("over"); without memory, the process had ended or did not answer.',
  describeMachine({ server: '', client: '', database: '' }).map(line => `- ${line}`).join('\n'),
  formatTable(head, rows, 2)
].join('\n\n')
if (only === '') writeFileSync('benchmarks/worst.md', `${text}\n`)
console.log(text)
