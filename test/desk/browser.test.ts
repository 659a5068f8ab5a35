import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import tap, { type Test, test } from 'tap'
import { openChromium } from '../helpers/chromium.ts'
import { eventually } from '../helpers/follow.ts'
import { onDatabase } from '../helpers/on-database.ts'
import { withoutPostgres } from '../helpers/on-postgres.ts'
import { folder } from '../helpers/packed.ts'
import { type Desk, openDesk, password } from './harness.ts'

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
    const windows = makeWindows(desk)
    for (const [name, scenario] of scenarios) {
      await t.test(name, async t => {
        await scenario(t, desk, windows)
      })
    }
    await windows.close()
  } finally {
    await desk.kill()
  }
}

type Windows = ReturnType<typeof makeWindows>

/** The windows of people: each is a browser of its own, whose owner is logged in. */
function makeWindows (desk: Desk) {
  const windows = new Map<string, Awaited<ReturnType<typeof open>>>()
  return {
    /** Shows a page to somebody, in a window that is theirs. */
    async show (who: string, path: string): Promise<Page> {
      const window = windows.get(who) ?? await open('about:blank', await loggedIn(desk, who))
      windows.set(who, window)
      const { page } = window
      await page.goto(desk.pages + path)
      return page
    },
    async close (): Promise<void> { for (const { close } of windows.values()) await close() }
  }
}

async function loggedIn (desk: Desk, who: string) {
  const { session } = await desk.as(who)
  const localStorage = [{ name: 'session', value: JSON.stringify(session) }]
  return { storageState: { cookies: [], origins: [{ origin: desk.pages, localStorage }] } }
}

/** The texts of elements. */
const texts = (page: Page, selector: string) => page.locator(selector).allInnerTexts()

const subjects = (page: Page) => texts(page, 'tbody a')

/** Waits until elements have these texts. */
const shows = (page: Page, selector: string, expected: readonly string[]) => {
  let last: readonly string[] = []
  return eventually(async () => {
    last = await texts(page, selector)
    return JSON.stringify(last) === JSON.stringify(expected)
  }, () => `${selector}: ${JSON.stringify(last)} instead of ${JSON.stringify(expected)}`)
}

const says = (page: Page, message: string, within = '') =>
  page.waitForSelector(`${within} [role=alert]:has-text(${JSON.stringify(message)})`)

/** The comments of a ticket, once all of the page is there. */
const loaded = 'section[aria-busy=false]:is([aria-busy=false] > [aria-label=Ticket] ~ *)'

interface Ticket { readonly id: number }

/** Creates a ticket, as a lead does. */
async function newTicket (desk: Desk, subject: string, more: object = {}): Promise<number> {
  const { ask } = await desk.as('ada@acme')
  const { status, body } = await ask('POST', '/tickets', { subject, body: 'Please.', customer: { id: 1 }, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return (body as Ticket).id
}

const idOf = async (desk: Desk, who: string) => (await desk.as(who)).session.person.id

async function fieldOf (desk: Desk, id: number, field: string): Promise<unknown> {
  const { body } = await (await desk.as('ada@acme')).ask('GET', `/tickets/${id}?fields=${field}`)
  return Object.values(body as object)[0]
}

async function commentsOf (desk: Desk, id: number): Promise<number> {
  const { body } = await (await desk.as('ada@acme')).ask('GET', `/tickets/${id}/comments`)
  return (body as unknown[]).length
}

const scenarios: ReadonlyArray<readonly [string, (t: Test, desk: Desk, windows: Windows) => Promise<void>]> = [
  ['one logs in, and a wrong password is told', async (t, desk) => {
    const { page, close } = await open(desk.pages)
    const logIn = async (word: string) => {
      await page.fill('[name=email]', 'bob@acme.example')
      await page.fill('[name=password]', word)
      await page.click('dialog button')
    }
    await logIn('wrong')
    await says(page, 'The email or the password is wrong.')
    await logIn(password)
    await page.waitForSelector('header:has-text("Bob")')
    await page.waitForSelector('tbody tr:nth-child(10)')
    await page.click('text=Log out')
    await page.waitForSelector('dialog[open]')
    t.equal(await page.locator('tbody').count(), 0)
    await close()
  }],

  ['one lists, searches, filters, sorts and asks for more', async (t, desk, { show }) => {
    const page = await show('ada@acme', '/')
    await page.waitForSelector('tbody tr:nth-child(10)')
    await page.click('text=More')
    await page.waitForSelector('tbody tr:nth-child(20)')
    t.equal(new Set(await subjects(page)).size, 20)
    const cy = { id: await idOf(desk, 'cy@acme') }
    for (const [subject, more] of [['Lamp a', { assignee: cy }], ['Lamp c', {}], ['lamp b', {}]] as const) {
      await newTicket(desk, subject, more)
    }
    await page.fill('[type=search]', 'lamp')
    await shows(page, 'tbody a', ['lamp b', 'Lamp c', 'Lamp a'])
    await page.selectOption('[role=search] select >> nth=2', 'subject')
    await shows(page, 'tbody a', ['Lamp a', 'Lamp c', 'lamp b'])
    await page.selectOption('[role=search] select >> nth=1', 'nobody')
    await shows(page, 'tbody a', ['Lamp c', 'lamp b'])
    await page.selectOption('[role=search] select >> nth=1', { label: 'Cy' })
    await shows(page, 'tbody a', ['Lamp a'])
    // The proxy refuses the QUERY of a text that is too long for a URL; a POST stands for it.
    const sent = page.waitForResponse(response => response.request().method() === 'POST')
    await page.fill('[type=search]', 'lamp'.repeat(1500))
    t.equal((await sent).status(), 200)
    await shows(page, 'tbody a', [])
    await page.fill('[type=search]', 'amp a')
    await shows(page, 'tbody a', ['Lamp a'])
    t.strictSame(await texts(page, 'main [role=alert]'), [''])
  }],

  ['what one writes is live in the window of another', async (_t, desk, { show }) => {
    const id = await newTicket(desk, 'Chair')
    const [ada, bob] = [await show('ada@acme', `/#/tickets/${id}`), await show('bob@acme', `/#/tickets/${id}`)]
    for (const [from, to, text] of [[ada, bob, 'Which chair?'], [bob, ada, 'The red one.']] as const) {
      await from.fill('[aria-label="New comment"] textarea', text)
      await from.click('text=Add')
      await to.waitForSelector(`li:has-text("${text}")`)
    }
    await shows(ada, 'li p', ['Which chair?', 'The red one.'])
    await ada.selectOption('select[name=priority]', 'high')
    await ada.click('text=Save')
    await bob.waitForSelector('p:has-text("open, high")')
  }],

  ['of two forms the second is told that it comes too late', async (t, desk, { show }) => {
    const id = await newTicket(desk, 'Table')
    const [ada, bob] = [await show('ada@acme', `/#/tickets/${id}`), await show('bob@acme', `/#/tickets/${id}`)]
    await bob.waitForSelector('[name=subject]')
    await ada.fill('[name=subject]', 'Round table')
    await ada.click('text=Save')
    await says(ada, 'Saved.')
    await bob.fill('[name=subject]', 'Square table')
    await bob.click('text=Save')
    await says(bob, 'Somebody else has saved this ticket before you.')
    t.equal(await bob.inputValue('[name=subject]'), 'Square table')
    t.equal(await fieldOf(desk, id, 'subject'), 'Round table')
    await bob.click('text=Load what is saved')
    await bob.waitForFunction("document.querySelector('[name=subject]').value === 'Round table'")
    await bob.fill('[name=subject]', 'Oval table')
    await bob.click('text=Save')
    await says(bob, 'Saved.')
    await ada.waitForSelector('h1:has-text("Oval table")')
  }],

  ['a transaction is refused as a whole, or done as a whole', async (t, desk, { show }) => {
    const page = await show('ada@acme', '/')
    const { body: customer } = await (await desk.as('ada@acme')).ask('POST', '/customers',
      { name: 'Closer', email: 'office@closer.example' })
    const of = { customer: { id: (customer as Ticket).id } }
    const assigned = { ...of, assignee: { id: await idOf(desk, 'bob@acme') } }
    const ids = [await newTicket(desk, 'Close 1', assigned), await newTicket(desk, 'Close 2', of)] as const
    await page.reload()
    await page.selectOption('p select', { label: 'Closer' })
    await page.click('text=Close all 2 open')
    await says(page, 'A ticket without an assignee cannot be closed.')
    // Both are shown as they were.
    await page.waitForSelector('button:has-text("Close all 2 open")')
    for (const id of ids) t.equal(await fieldOf(desk, id, 'state'), 'open')
    t.equal(await commentsOf(desk, ids[0]), 0)
    const { ask } = await desk.as('ada@acme')
    await ask('PATCH', `/tickets/${ids[1]}`, { assignee: { id: await idOf(desk, 'ada@acme') } })
    await page.click('text=Close all 2 open')
    await page.waitForSelector('button:has-text("Close all 0 open")')
    for (const id of ids) {
      await eventually(async () => await fieldOf(desk, id, 'state') === 'closed', () => `${id} is closed`)
      t.equal(await commentsOf(desk, id), 1)
    }
  }],

  ['a write that is refused is taken back, and its message is shown', async (t, desk, { show }) => {
    const id = await newTicket(desk, 'Shelf', { assignee: { id: await idOf(desk, 'cy@acme') } })
    const page = await show('bob@acme', '/')
    const choice = page.locator('tr:has-text("Shelf") select')
    await choice.selectOption('high')
    await says(page, 'not allowed')
    await eventually(async () => await choice.inputValue() === 'normal', () => 'the priority is as before')
    t.equal(await fieldOf(desk, id, 'priority'), 'normal')
  }],

  ['after a session has ended, one logs in over the page and goes on', async (t, desk, { show }) => {
    const id = await newTicket(desk, 'Lock')
    const page = await show('cy@acme', `/#/tickets/${id}`)
    await page.waitForSelector('[name=subject]')
    await page.fill('textarea', 'Half a sentence')
    const { ask } = await desk.as('cy@acme')
    const { body: sessions } = await ask('GET', '/sessions')
    for (const { id } of sessions as ReadonlyArray<{ id: string }>) await ask('DELETE', `/sessions/${id}`)
    await page.fill('[name=subject]', 'New lock')
    await page.click('text=Save')
    await page.waitForSelector('dialog[open]')
    await page.fill('[name=email]', 'cy@acme.example')
    await page.fill('[name=password]', password)
    await page.click('dialog button')
    await says(page, 'Saved.')
    t.equal(await page.inputValue('textarea'), 'Half a sentence')
    t.equal(await fieldOf(desk, id, 'subject'), 'New lock')
    await page.click('text=Add')
    await page.waitForSelector('li[aria-busy=false]:has-text("Half a sentence")')
  }],

  ['a page tells that the server is gone, and is live when it is back', async (t, desk, { show }) => {
    const id = await newTicket(desk, 'Wire')
    const page = await show('ada@acme', `/#/tickets/${id}`)
    await page.waitForSelector(`h1:has-text("Wire") ~ ${loaded}`)
    await desk.kill()
    await page.waitForSelector('output:has-text("No connection")')
    await desk.restart()
    const { ask } = await desk.as('bob@acme')
    t.equal((await ask('PATCH', `/tickets/${id}`, { subject: 'Rewired' })).status, 200)
    // Pages wait up to half a minute, so that they do not all come back at once.
    await page.waitForSelector('h1:has-text("Rewired")', { timeout: 60_000 })
    await shows(page, 'output', [''])
  }],

  ['offline, a page keeps what it shows and what is typed, and goes on online', async (t, desk, { show }) => {
    const id = await newTicket(desk, 'Antenna')
    const page = await show('ada@acme', `/#/tickets/${id}`)
    await page.waitForSelector(`h1:has-text("Antenna") ~ ${loaded}`)
    await page.context().setOffline(true)
    await page.waitForSelector('output:has-text("No connection")')
    await page.fill('textarea', 'Into the void')
    await page.click('text=Add')
    await says(page, 'Failed to fetch', '[aria-label="New comment"]')
    t.equal(await page.inputValue('textarea'), 'Into the void')
    t.equal(await page.innerText('h1'), 'Antenna')
    const { ask } = await desk.as('bob@acme')
    t.equal((await ask('PATCH', `/tickets/${id}`, { subject: 'New antenna' })).status, 200)
    await page.context().setOffline(false)
    await page.waitForSelector('h1:has-text("New antenna")', { timeout: 60_000 })
    await shows(page, 'output', [''])
    await page.click('text=Add')
    await page.waitForSelector('li[aria-busy=false]:has-text("Into the void")')
    await shows(page, 'li p', ['Into the void'])
  }],

  ['the dashboard counts', async (t, desk, { show }) => {
    const page = await show('ada@acme', '/#/dashboard')
    await page.waitForSelector('[aria-label="By state"]')
    const counts = (await texts(page, '[aria-label="By state"] td')).map(Number)
    const { body } = await (await desk.as('ada@acme')).ask('GET', '/tickets?fields=count()')
    t.strictSame([{ 'count()': counts.reduce((sum, one) => sum + one, 0) }].map(one => Object.values(one)),
      (body as object[]).map(one => Object.values(one)))
  }],

  ['the admin lists, searches, and edits a ticket whose assignee is null', async (t, desk, { show }) => {
    const id = await newTicket(desk, 'Nobody\u2019s mug')
    const page = await show('ada@acme', '/admin/#/tickets')
    await page.waitForSelector('tbody tr:nth-child(10)')
    await page.fill('input[name=q]', 'mug')
    await page.waitForSelector('tbody tr:only-child >> text=nobody')
    // At first the form has what the list knows of the ticket.
    const edit = async () => {
      await page.click('tbody tr')
      await eventually(async () => await page.getByLabel('Body').inputValue() === 'Please.', () => 'the body is there')
    }
    await edit()
    await page.fill('input[name=subject]', 'Blue mug')
    await page.click('button:has-text("Save")')
    await page.waitForSelector('tbody tr:only-child >> text=Blue mug')
    t.equal(await fieldOf(desk, id, 'subject'), 'Blue mug')
    t.equal(await fieldOf(desk, id, 'assignee'), null)
    await edit()
    await page.getByLabel('Assignee').fill('Cy')
    await page.click('[role=option]:has-text("Cy")')
    await page.click('button:has-text("Save")')
    await page.waitForSelector('tbody tr:only-child >> text=Cy')
    t.match(await fieldOf(desk, id, 'assignee(name)'), { name: 'Cy' })
  }],

  ['the admin deletes many', async (t, desk, { show }) => {
    const ids = [await newTicket(desk, 'Old cup'), await newTicket(desk, 'Cracked cup')]
    const page = await show('ada@acme', '/admin/#/tickets')
    await page.fill('input[name=q]', 'cup')
    await page.waitForSelector('tbody tr:nth-child(2):last-child')
    await page.click('thead input[type=checkbox]')
    await page.click('button:has-text("Delete")')
    await page.click('[role=dialog] button:has-text("Confirm")')
    await page.waitForSelector('tbody', { state: 'detached' })
    const { ask } = await desk.as('ada@acme')
    t.strictSame(await Promise.all(ids.map(async id => (await ask('GET', `/tickets/${id}`)).status)), [404, 404])
  }],

  ['a CSV is imported in the explorer, after its login', async (t, desk) => {
    const { page, close } = await open(`${desk.server}/api/customers?_import`)
    await page.click('a:has-text("Log in")')
    await page.fill('[name=email]', 'ada@acme.example')
    await page.fill('[name=password]', password)
    await page.click('button')
    const buffer = Buffer.from('name,email\nGinkgo,office@ginkgo.example\nHazel,office@hazel.example\n')
    await page.setInputFiles('input[type=file]', { name: 'customers.csv', mimeType: 'text/csv', buffer })
    await page.waitForFunction('document.querySelector("#csv").value !== ""')
    await page.click('main button:text-is("Check")')
    t.match(await page.textContent('[role=status]'), '2 items can be imported.')
    await page.click('main button:text-is("Import")')
    t.match(await page.textContent('[role=status]'), '2 items were created.')
    const { body } = await (await desk.as('bob@acme')).ask('GET', '/customers?name=Hazel&fields=email')
    t.strictSame(body, [{ email: 'office@hazel.example' }])
    await close()
  }]
]
