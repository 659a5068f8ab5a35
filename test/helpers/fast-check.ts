import fc from 'fast-check'

/**
 * The seed of generated cases. It is the same in each run, so that what passes here passes everywhere; FC_SEED draws
 * others.
 */
export const seed = Number(process.env['FC_SEED'] ?? 20_261_122)

/** Returns how many cases a generated test draws: FC_RUNS, or FC_TIMES as many as `usual`. */
export const runsOf = (usual: number): number =>
  Number(process.env['FC_RUNS'] ?? usual * Number(process.env['FC_TIMES'] ?? 1))

fc.configureGlobal({ seed })

export default fc
