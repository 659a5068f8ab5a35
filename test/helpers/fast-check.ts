import fc from 'fast-check'

/**
 * The seed of generated cases. It is the same in each run, so that what passes here passes everywhere; FC_SEED draws
 * others.
 */
export const seed = Number(process.env['FC_SEED'] ?? 20_261_122)

/**
 * Returns how many cases a generated test draws: FC_RUNS, or FC_TIMES as many as `usual`, of which a run that does not
 * say draws a third. It is a whole number from 1: fast-check never ends where it is not.
 */
export function runsOf (usual: number): number {
  const runs = Math.ceil(Number(process.env['FC_RUNS'] ?? usual * Number(process.env['FC_TIMES'] ?? 1 / 3)))
  if (Number.isSafeInteger(runs) && runs > 0) return runs
  throw new RangeError('FC_RUNS and FC_TIMES must be numbers above 0')
}

fc.configureGlobal({ seed })

export default fc
