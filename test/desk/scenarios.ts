import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { openChromium } from '../helpers/chromium.ts'
import { eventually } from '../helpers/follow.ts'
import { type Desk, password } from './harness.ts'

// What people do with the desk in Chromium. Each scenario can run alone, and fails by throwing.

type Open = Awaited<ReturnType<typeof openChromium>>['open']

export type Scenario = (desk: Desk, windows: Windows) => Promise<void>

type Windows = ReturnType<typeof makeWindows>

/**
 * The windows of people: each is a browser of its own, whose owner is logged in. `patience`: how long a page may take
 * for a step, in milliseconds.
 */
export function makeWindows (desk: Desk, open: Open, patience = 30_000) {
  const windows = new Map<string, Awaited<ReturnType<typeof open>>>()
  const openPatiently = async (url: string, options?: Parameters<Open>[1]) => {
    const window = await open(url, options)
    window.page.setDefaultTimeout(patience)
    return window
  }
  return {
    /** How long a page waits at most until it is connected again: not all come back at once. */
    reconnection: { timeout: 2 * patience },
    /** Opens a window of nobody, which its user closes. */
    open: openPatiently,
    /** Shows a page to somebody, in a window that is theirs. */
    async show (who: string, path: string): Promise<Page> {
      const window = windows.get(who) ?? await openPatiently('about:blank', await loggedIn(desk, who))
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

/** Logs in by the dialog over a page. */
async function logIn (page: Page, who: string, word = password): Promise<void> {
  await page.waitForSelector('dialog[open]')
  await page.fill('[name=email]', `${who}.example`)
  await page.fill('[name=password]', word)
  await page.click('dialog button')
}

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

/** The scenarios by their names, in an order in which each leaves what the next one needs. */
export const scenarios = {
  async 'one logs in, and a wrong password is told' (desk, { open }) {
    const { page, close } = await open(desk.pages)
    await logIn(page, 'bob@acme', 'wrong')
    await says(page, 'The email or the password is wrong.')
    await logIn(page, 'bob@acme')
    await page.waitForSelector('header:has-text("Bob")')
    await page.waitForSelector('tbody tr:nth-child(10)')
    await page.click('text=Log out')
    await page.waitForSelector('dialog[open]')
    assert.equal(await page.locator('tbody').count(), 0)
    await close()
  },

  async 'one lists, searches, filters, sorts and asks for more' (desk, { show }) {
    const page = await show('ada@acme', '/')
    await page.waitForSelector('tbody tr:nth-child(10)')
    await page.click('text=More')
    await page.waitForSelector('tbody tr:nth-child(20)')
    assert.equal(new Set(await subjects(page)).size, 20)
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
    assert.equal((await sent).status(), 200)
    await shows(page, 'tbody a', [])
    await page.fill('[type=search]', 'amp a')
    await shows(page, 'tbody a', ['Lamp a'])
    assert.deepEqual(await texts(page, 'main [role=alert]'), [''])
  },

  async 'what one writes is live in the window of another' (desk, { show }) {
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
  },

  async 'of two forms the second is told that it comes too late' (desk, { show }) {
    const id = await newTicket(desk, 'Table')
    const [ada, bob] = [await show('ada@acme', `/#/tickets/${id}`), await show('bob@acme', `/#/tickets/${id}`)]
    await bob.waitForSelector('[name=subject]')
    await ada.fill('[name=subject]', 'Round table')
    await ada.click('text=Save')
    await says(ada, 'Saved.')
    await bob.fill('[name=subject]', 'Square table')
    await bob.click('text=Save')
    await says(bob, 'Somebody else has saved this ticket before you.')
    assert.equal(await bob.inputValue('[name=subject]'), 'Square table')
    assert.equal(await fieldOf(desk, id, 'subject'), 'Round table')
    await bob.click('text=Load what is saved')
    await bob.waitForFunction("document.querySelector('[name=subject]').value === 'Round table'")
    await bob.fill('[name=subject]', 'Oval table')
    await bob.click('text=Save')
    await says(bob, 'Saved.')
    await ada.waitForSelector('h1:has-text("Oval table")')
  },

  async 'a transaction is refused as a whole, or done as a whole' (desk, { show }) {
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
    for (const id of ids) assert.equal(await fieldOf(desk, id, 'state'), 'open')
    assert.equal(await commentsOf(desk, ids[0]), 0)
    const { ask } = await desk.as('ada@acme')
    await ask('PATCH', `/tickets/${ids[1]}`, { assignee: { id: await idOf(desk, 'ada@acme') } })
    await page.click('text=Close all 2 open')
    await page.waitForSelector('button:has-text("Close all 0 open")')
    for (const id of ids) {
      await eventually(async () => await fieldOf(desk, id, 'state') === 'closed', () => `${id} is closed`)
      assert.equal(await commentsOf(desk, id), 1)
    }
  },

  async 'a write that is refused is taken back, and its message is shown' (desk, { show }) {
    const id = await newTicket(desk, 'Shelf', { assignee: { id: await idOf(desk, 'cy@acme') } })
    const page = await show('bob@acme', '/')
    const choice = page.locator('tr:has-text("Shelf") select')
    await choice.selectOption('high')
    await says(page, 'not allowed')
    await eventually(async () => await choice.inputValue() === 'normal', () => 'the priority is as before')
    assert.equal(await fieldOf(desk, id, 'priority'), 'normal')
  },

  async 'a page can do no more than its person may' (desk, { show }) {
    const page = await show('bob@acme', '/')
    const lead = await idOf(desk, 'ada@acme')
    const status = await page.evaluate<number>(`fetch('${desk.server}/api/people/${lead}', {
      method: 'DELETE', headers: { authorization: 'Bearer ' + JSON.parse(localStorage.getItem('session')).token }
    }).then(({ status }) => status)`)
    assert.equal(status, 403)
    assert.equal((await (await desk.as('ada@acme')).ask('GET', `/people/${lead}`)).status, 200)
  },

  async 'after a session has ended, one logs in over the page and goes on' (desk, { show }) {
    const id = await newTicket(desk, 'Lock')
    const page = await show('cy@acme', `/#/tickets/${id}`)
    await page.waitForSelector('[name=subject]')
    await page.fill('textarea', 'Half a sentence')
    const { ask } = await desk.as('cy@acme')
    const { body: sessions } = await ask('GET', '/sessions')
    for (const { id } of sessions as ReadonlyArray<{ id: string }>) await ask('DELETE', `/sessions/${id}`)
    await page.fill('[name=subject]', 'New lock')
    await page.click('text=Save')
    await logIn(page, 'cy@acme')
    await says(page, 'Saved.')
    assert.equal(await page.inputValue('textarea'), 'Half a sentence')
    assert.equal(await fieldOf(desk, id, 'subject'), 'New lock')
    await page.click('text=Add')
    await page.waitForSelector('li[aria-busy=false]:has-text("Half a sentence")')
  },

  async 'after a token has expired, one logs in over the page and goes on' (desk, { open }) {
    const id = await newTicket(desk, 'Watch')
    const lifetime = 5
    await desk.restart({ TOKEN_LIFETIME: String(lifetime) })
    const { page, close } = await open(`${desk.pages}/#/tickets/${id}`)
    await logIn(page, 'cy@acme')
    await page.fill('[name=subject]', 'Old watch')
    await page.fill('textarea', 'Half a sentence')
    await setTimeout(lifetime * 1000)
    // On a slow machine the dialog is over the page already, as something else has asked.
    await page.dispatchEvent('button:text-is("Save")', 'click')
    await page.waitForSelector('dialog[open]')
    await desk.restart()
    await logIn(page, 'cy@acme')
    await says(page, 'Saved.')
    assert.equal(await page.inputValue('textarea'), 'Half a sentence')
    assert.equal(await fieldOf(desk, id, 'subject'), 'Old watch')
    await close()
  },

  async 'a page tells that the server is gone, and is live when it is back' (desk, { show, reconnection }) {
    const id = await newTicket(desk, 'Wire')
    const page = await show('ada@acme', `/#/tickets/${id}`)
    await page.waitForSelector(`h1:has-text("Wire") ~ ${loaded}`)
    await desk.kill()
    await page.waitForSelector('output:has-text("No connection")')
    await desk.restart()
    const { ask } = await desk.as('bob@acme')
    assert.equal((await ask('PATCH', `/tickets/${id}`, { subject: 'Rewired' })).status, 200)
    await page.waitForSelector('h1:has-text("Rewired")', reconnection)
    await shows(page, 'output', [''])
  },

  async 'offline, a page keeps what it shows and what is typed, and goes on online' (desk, { show, reconnection }) {
    const id = await newTicket(desk, 'Antenna')
    const page = await show('ada@acme', `/#/tickets/${id}`)
    await page.waitForSelector(`h1:has-text("Antenna") ~ ${loaded}`)
    await page.context().setOffline(true)
    await page.waitForSelector('output:has-text("No connection")')
    await page.fill('textarea', 'Into the void')
    await page.click('text=Add')
    await says(page, 'Failed to fetch', '[aria-label="New comment"]')
    assert.equal(await page.inputValue('textarea'), 'Into the void')
    assert.equal(await page.innerText('h1'), 'Antenna')
    const { ask } = await desk.as('bob@acme')
    assert.equal((await ask('PATCH', `/tickets/${id}`, { subject: 'New antenna' })).status, 200)
    await page.context().setOffline(false)
    await page.waitForSelector('h1:has-text("New antenna")', reconnection)
    await shows(page, 'output', [''])
    await page.click('text=Add')
    await page.waitForSelector('li[aria-busy=false]:has-text("Into the void")')
    await shows(page, 'li p', ['Into the void'])
  },

  async 'the dashboard counts' (desk, { show }) {
    const page = await show('ada@acme', '/#/dashboard')
    await page.waitForSelector('[aria-label="By state"]')
    const counts = (await texts(page, '[aria-label="By state"] td')).map(Number)
    const { body } = await (await desk.as('ada@acme')).ask('GET', '/tickets?fields=count()')
    assert.deepEqual([{ 'count()': counts.reduce((sum, one) => sum + one, 0) }].map(one => Object.values(one)),
      (body as object[]).map(one => Object.values(one)))
  },

  async 'the admin lists, searches, and edits a ticket whose assignee is null' (desk, { show }) {
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
    assert.equal(await fieldOf(desk, id, 'subject'), 'Blue mug')
    assert.equal(await fieldOf(desk, id, 'assignee'), null)
    await edit()
    await page.getByLabel('Assignee').fill('Cy')
    await page.click('[role=option]:has-text("Cy")')
    await page.click('button:has-text("Save")')
    await page.waitForSelector('tbody tr:only-child >> text=Cy')
    assert.deepEqual(await fieldOf(desk, id, 'assignee(name)'), { name: 'Cy' })
  },

  async 'the admin deletes many' (desk, { show }) {
    const ids = [await newTicket(desk, 'Old cup'), await newTicket(desk, 'Cracked cup')]
    const page = await show('ada@acme', '/admin/#/tickets')
    await page.fill('input[name=q]', 'cup')
    await page.waitForSelector('tbody tr:nth-child(2):last-child')
    await page.click('thead input[type=checkbox]')
    await page.click('button:has-text("Delete")')
    await page.click('[role=dialog] button:has-text("Confirm")')
    await page.waitForSelector('tbody', { state: 'detached' })
    const { ask } = await desk.as('ada@acme')
    assert.deepEqual(await Promise.all(ids.map(async id => (await ask('GET', `/tickets/${id}`)).status)), [404, 404])
  },

  async 'a CSV is imported in the explorer, after its login' (desk, { open }) {
    const { page, close } = await open(`${desk.server}/api/customers?_import`)
    await page.click('a:has-text("Log in")')
    await page.fill('[name=email]', 'ada@acme.example')
    await page.fill('[name=password]', password)
    await page.click('button')
    const buffer = Buffer.from('name,email\nGinkgo,office@ginkgo.example\nHazel,office@hazel.example\n')
    await page.setInputFiles('input[type=file]', { name: 'customers.csv', mimeType: 'text/csv', buffer })
    await page.waitForFunction('document.querySelector("#csv").value !== ""')
    await page.click('main button:text-is("Check")')
    assert.ok((await page.textContent('[role=status]'))?.includes('2 items can be imported.'))
    await page.click('main button:text-is("Import")')
    assert.ok((await page.textContent('[role=status]'))?.includes('2 items were created.'))
    const { body } = await (await desk.as('bob@acme')).ask('GET', '/customers?name=Hazel&fields=email')
    assert.deepEqual(body, [{ email: 'office@hazel.example' }])
    await close()
  }
} satisfies Readonly<Record<string, Scenario>>
