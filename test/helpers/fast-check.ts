import fc from 'fast-check'

/**
 * The seed of generated cases. It is the same in each run, so that what passes here passes everywhere; FC_SEED draws
 * others.
 */
export const seed = Number(process.env['FC_SEED'] ?? 20_261_122)

const times = Number(process.env['FC_TIMES'] ?? 1 / 5)

/**
 * Returns how many cases a generated test draws: FC_RUNS, or FC_TIMES as many as `usual`, of which a run that does not
 * say draws a fifth. It is a whole number from 1: fast-check never ends where it is not.
 */
export function runsOf (usual: number): number {
  const runs = Math.ceil(Number(process.env['FC_RUNS'] ?? usual * times))
  if (Number.isSafeInteger(runs) && runs > 0) return runs
  throw new RangeError('FC_RUNS and FC_TIMES must be numbers above 0')
}

/**
 * Returns planted mistakes with their names: all by night, when FC_TIMES asks for more cases than tests name, and else
 * those of `byDay`. They test what looks for mistakes, and each takes many requests to find.
 */
export function plantedIn<T> (mistakes: Readonly<Record<string, T>>, byDay: readonly string[]): Array<[string, T]> {
  const unknown = byDay.filter(name => !Object.hasOwn(mistakes, name))
  if (unknown.length > 0) throw new RangeError(`There is no planted mistake '${unknown.join("', '")}'`)
  return Object.entries(mistakes).filter(([name]) => times > 1 || byDay.includes(name))
}

fc.configureGlobal({ seed })

export default fc
