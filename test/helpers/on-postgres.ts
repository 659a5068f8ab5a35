import { type Test, test as tapTest } from 'tap'

/** True where this run is without PostgreSQL, by the environment variable WITHOUT_POSTGRES=1. */
export const withoutPostgres = process.env['WITHOUT_POSTGRES'] === '1'

/** Runs a test that needs PostgreSQL; skips it in a run without. */
export function test (name: string, run: (t: Test) => Promise<void>): void {
  // eslint-disable-next-line @typescript-eslint/no-floating-promises -- tap waits for its tests itself
  tapTest(name, { skip: withoutPostgres && 'WITHOUT_POSTGRES=1' }, run)
}
