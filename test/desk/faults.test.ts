import tap, { test } from 'tap'
import { openChromium } from '../helpers/chromium.ts'
import { type Desk, openDesk, type Replacement } from './harness.ts'
import { makeWindows, type Scenario, scenarios } from './scenarios.ts'

// Faults of the past, each of which no test of one part had found. The scenarios of browser.test.ts find them: each
// runs alone here, first in the desk as it is, then in one with the fault.

interface Fault {
  readonly what: string
  readonly replacements: readonly Replacement[]
  /** The scenario that must fail. */
  readonly scenario: keyof typeof scenarios
  /** What it must tell. */
  readonly message: RegExp
}

const faults: readonly Fault[] = [
  {
    what: 'the options of @fastify/cors keep OPTIONS from the API',
    replacements: [{ text: 'strictPreflight: false,\n  preflightContinue: true', fault: 'strictPreflight: true' }],
    scenario: 'a transaction is refused as a whole, or done as a whole',
    message: /A ticket without an assignee cannot be closed/
  },
  {
    what: 'CORS lacks Last-Event-ID, and the client has no other way to take a stream up again',
    replacements: [
      { text: '"Last-Event-ID",', fault: '' }, { text: 'isAnew = !error.status && !!known', fault: 'isAnew = false' }
    ],
    scenario: 'a page tells that the server is gone, and is live when it is back',
    message: /h1:has-text\("Rewired"\)/
  },
  {
    what: 'the tag that a proxy has weakened is none in If-Match',
    replacements: [{ text: '/"([^"]*)"/g)].map(', fault: '/(?<!W\\/)"([^"]*)"/g)].map(' }],
    scenario: 'of two forms the second is told that it comes too late',
    message: /Saved\./
  },
  {
    what: 'react-admin sends a null relation that nobody has touched as an item',
    replacements: [{ text: 'keys.some((key) => key in item))) return null', fault: 'true)) return {}' }],
    scenario: 'the admin lists, searches, and edits a ticket whose assignee is null',
    message: /Blue mug/
  },
  {
    what: 'the client sends no POST for a QUERY that the proxy refuses',
    replacements: [{ text: 'if (isQuery && !override && ', fault: 'if (false && ' }],
    scenario: 'one lists, searches, filters, sorts and asks for more',
    message: /waitForResponse/
  },
  {
    what: 'agents may delete people',
    replacements: [{
      file: 'collections.ts',
      text: '      delete: isLead,\n      fields: { role: ',
      fault: '      delete: isKnown,\n      fields: { role: '
    }],
    scenario: 'a page can do no more than its person may',
    message: /200 !== 403/
  }
]

const { skip, open } = await openChromium(tap)

test('the faults of the past are found by the scenarios', { skip, timeout: 300_000 }, async t => {
  const openAlone = async (replacements: readonly Replacement[], isKilled: boolean) => {
    const desk = await openDesk(replacements)
    t.teardown(() => desk.close())
    // A file, which outlives the server, where it is killed.
    await desk.start(isKilled ? { DATABASE: 'desk.db' } : {})
    return desk
  }
  const sound = await openAlone([], true)
  // One after the other: to build pages and to seed tables takes all of the machine.
  const faulty: Desk[] = []
  for (const { replacements, scenario } of faults) {
    faulty.push(await openAlone(replacements, scenario.includes('server is gone')))
  }

  /** Runs a scenario alone. Returns what it throws. */
  const run = async (desk: Desk, scenario: Scenario, patience?: number): Promise<unknown> => {
    const windows = makeWindows(desk, open, patience)
    return scenario(desk, windows).catch((error: unknown) => error).finally(windows.close)
  }
  const runSound = async () => {
    const errors = []
    for (const { scenario } of faults) errors.push(await run(sound, scenarios[scenario]))
    return errors
  }
  // They wait for most of their time, so they do it side by side.
  const [errors, ...found] = await Promise.all([
    runSound(), ...faults.map(({ scenario }, index) => run(faulty[index] as Desk, scenarios[scenario], 10_000))
  ])
  for (const [index, { what, message }] of faults.entries()) {
    t.equal(errors?.[index], undefined, `without the fault: ${what}`)
    t.match(found[index], { message }, what)
  }
})
