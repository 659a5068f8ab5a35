import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { describeMachine, pinSelf, shareCores } from '../machine.ts'
import { openStage, type Stage } from '../stage.ts'
import { fullSizes, quickSizes } from '../world.ts'
import { growConnections } from './connections.ts'
import type { Extent } from './cost.ts'
import { endure } from './endurance.ts'
import { growImports } from './imports.ts'
import { growLive } from './live.ts'
import { growPauses } from './pauses.ts'
import { growCollections } from './registration.ts'
import { growRows } from './rows.ts'
import { growShapes } from './shapes.ts'

// npm run bench:growth [-- --quick] [--seconds 2] [--only rows --only shapes ...]

const parts = ['rows', 'shapes', 'connections', 'collections', 'pauses', 'live', 'imports', 'endurance'] as const
type Part = typeof parts[number]

const { values: { quick, seconds, only } } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true, default: [...parts] }
  }
})
const extent: Extent = { seconds: quick ? 0.2 : Number(seconds), quick }
const cores = shareCores()

async function part (name: Part, stage: Stage): Promise<string> {
  switch (name) {
    case 'rows': return growRows(cores, extent)
    case 'shapes': return growShapes(await stage.server('plugin', 'sqlite'), extent)
    case 'connections': return growConnections(
      await stage.server('plugin', 'sqlite'), await stage.server('by hand', 'sqlite'), extent
    )
    case 'collections': return growCollections(extent)
    case 'pauses': return growPauses(await stage.server('wide plugin', 'sqlite'), extent)
    case 'live': return growLive(await stage.server('live plugin', 'sqlite'), extent)
    case 'imports': return growImports(cores, extent)
    case 'endurance': return endure(await stage.server('plugin', 'sqlite'), extent)
  }
}

pinSelf(cores.client)
const stage = await openStage(quick ? quickSizes : fullSizes, ['sqlite'], cores)
try {
  const sections: string[] = []
  for (const name of parts.filter(one => only.includes(one))) {
    sections.push(await part(name, stage))
    process.stderr.write(`${name}\n`)
  }
  const text = [
    '# Cost against size',
    `Made by \`npm run bench:growth\`${quick
      ? ' in its quick mode, which shows that it works and no more'
      : ''}. Each cost is measured over ${extent.seconds} s, after as long to warm up${extent.seconds < 2
      ? ', which is short: what is measured first on a server holds some of the compiler\'s work'
      : ''}. CPU time is of the server process, all its threads.`,
    describeMachine(cores).map(line => `- ${line}`).join('\n'),
    ...sections
  ].join('\n\n')
  if (!quick && only.length === parts.length) writeFileSync('benchmarks/growth.md', `${text}\n`)
  console.log(text)
} finally {
  await stage.close()
}
