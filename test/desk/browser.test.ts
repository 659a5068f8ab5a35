import { rmSync } from 'node:fs'
import { join } from 'node:path'
import tap, { type Test, test } from 'tap'
import { openChromium } from '../helpers/chromium.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'
import { folder } from '../helpers/packed.ts'
import { type Desk, openDesk } from './harness.ts'
import { makeWindows, scenarios } from './scenarios.ts'

// examples/desk as people use it: in Chromium, from the package, two origins, and a proxy between them.

const { skip, open } = await openChromium(tap)
const desk = skip === false ? await openDesk() : undefined
tap.teardown(() => desk?.close())

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  const reason = skip === false && kind === 'PostgreSQL' && withoutPostgres ? 'WITHOUT_POSTGRES=1' : skip
  test(`the desk on ${kind}`, { skip: reason }, async t => {
    if (desk === undefined) return
    if (kind === 'PostgreSQL') return onDatabase('', (_db, url) => useDesk(t, desk, { DATABASE_URL: url }))
    const file = join(folder, 'desk.db')
    await useDesk(t, desk, { DATABASE: file })
    rmSync(file)
  })
}

/** Runs all scenarios, in an order in which each leaves what the next one needs. */
async function useDesk (t: Test, desk: Desk, env: NodeJS.ProcessEnv): Promise<void> {
  await desk.start(env)
  try {
    const windows = makeWindows(desk, open)
    for (const [name, scenario] of Object.entries(scenarios)) {
      await t.test(name, async t => {
        await t.resolves(scenario(desk, windows))
      })
    }
    await windows.close()
  } finally {
    await desk.kill()
  }
}
