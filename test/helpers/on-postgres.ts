import { type Test, test as tapTest } from 'tap'

/** Whether PostgreSQL was left out of this run on purpose: WITHOUT_POSTGRES=1. Nothing else leaves it out. */
export const withoutPostgres = process.env['WITHOUT_POSTGRES'] === '1'

/** A test that needs PostgreSQL. */
export function test (name: string, run: (t: Test) => Promise<void>): void {
  // eslint-disable-next-line @typescript-eslint/no-floating-promises -- tap waits for its tests itself
  tapTest(name, { skip: withoutPostgres && 'WITHOUT_POSTGRES=1' }, run)
}
