/** The parts of V8's CPU profile that are used. `timeDeltas`: the microseconds before each sample. */
export interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string, readonly url: string }
  readonly children?: readonly number[]
}

/** The stages of a request, as a table shows them. */
export const stages = [
  'parse', 'plan', 'run', 'render', 'send', 'batches and answer.ts', 'router, hooks and HTTP', 'garbage collection',
  'the event loop and the system', 'the client in memory'
] as const

type Stage = typeof stages[number]

const client: Stage = 'the client in memory'

// The first that fits the file of a function.
const rooms: ReadonlyArray<readonly [RegExp, Stage]> = [
  [/\/lib\/request\//, 'parse'],
  [/\/lib\/(plan|rules|model)\//, 'plan'],
  [/\/lib\/(run|sources)\//, 'run'],
  [/\/lib\/response\//, 'render'],
  [/\/lib\/plugin\/replies\.[jt]s/, 'send'],
  [/\/benchmarks\/servers\/in-memory\.[jt]s/, client],
  [/\/lib\/(api|data|errors|plugin|scheduling)\//, 'batches and answer.ts']
]

/**
 * Returns the share of each stage in the last microseconds: before them the process starts and compiles. A sample
 * belongs to the innermost function of the plugin on its stack, so that a room's share holds what it calls of Node.js,
 * of a driver and of packages.
 */
export function sharesOf ({ nodes, samples, timeDeltas }: Profile, last: number): ReadonlyMap<Stage, number> {
  const found = stagesOf(nodes)
  const times = new Map<Stage, number>()
  let whole = 0
  let elapsed = 0
  for (let index = samples.length - 1; index >= 0 && elapsed < last; index--) {
    const time = timeDeltas[index] ?? 0
    elapsed += time
    const stage = found.get(samples[index] ?? -1)
    if (stage === undefined) continue
    times.set(stage, (times.get(stage) ?? 0) + time)
    whole += time
  }
  return new Map([...times].map(([stage, time]) => [stage, time / whole]))
}

/** Returns the stage of each node by its id; undefined for idle time. */
function stagesOf (nodes: readonly ProfileNode[]): ReadonlyMap<number, Stage | undefined> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id] as const)))
  const known = new Map<number, Stage | undefined>()
  // A parent stands before its children.
  for (const { id, callFrame } of nodes) {
    known.set(id, ownStage(callFrame) ?? inherited(callFrame, known.get(parents.get(id) ?? -1)))
  }
  return known
}

function ownStage ({ functionName, url }: ProfileNode['callFrame']): Stage | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'the event loop and the system'
  if (url.includes('/node_modules/')) return undefined
  return rooms.find(([file]) => file.test(url))?.[1]
}

const inherited = (
  { functionName, url }: ProfileNode['callFrame'], parent: Stage | undefined
): Stage | undefined => {
  if (functionName === '(idle)' || functionName === '(root)') return undefined
  // The client calls the server.
  if (parent === client && url.startsWith('node:_http')) return 'router, hooks and HTTP'
  return parent ?? 'router, hooks and HTTP'
}
