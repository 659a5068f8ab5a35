import type { Page } from 'playwright-core'
import t, { test } from 'tap'
import { buildBoard } from '../../examples/board/app.ts'
import { openChromium } from '../helpers/chromium.ts'
import { eventually } from '../helpers/follow.ts'

// docs/clients.md: TanStack DB. Two windows share a board; each is a browser of its own.

const { skip, open: openPage } = await openChromium(t)
const app = await buildBoard(new URL('../../examples/board', import.meta.url).pathname)
const base = await app.listen({ port: 0, host: '127.0.0.1' })
t.teardown(() => app.close())

const open = () => openPage(base)

/** Errors of a page; that the API has refused a card is noted by Chromium too. */
const errorsOf = (...pages: ReadonlyArray<Awaited<ReturnType<typeof open>>>) =>
  pages.flatMap(({ faults }) => faults).filter(one => one instanceof Error)

/** Waits until the lanes have these cards, and all of them are written. */
const untilShown = (page: Page, ...lanes: readonly string[]) => {
  const shown = () => page.evaluate(
    '["todo","doing","done","moves"].map(id => [...document.getElementById(id).children].map(one => ' +
    'one.firstChild.textContent.trim() + (one.ariaBusy === "true" ? "…" : "")).join())'
  )
  return eventually(async () => JSON.stringify(await shown()) === JSON.stringify(lanes), () => lanes.join(' | '))
}

async function add (page: Page, title: string): Promise<void> {
  await page.fill('[name=title]', title)
  await page.click('button:text-is("Add")')
}

test('two windows share the board', { skip }, async t => {
  const [one, other] = [await open(), await open()]
  await add(one.page, 'paint')
  for (const { page } of [one, other]) await untilShown(page, 'paint', '', '', 'paint → todo')
  await other.page.click('#todo button')
  for (const { page } of [one, other]) await untilShown(page, '', 'paint', '', 'paint → doing,paint → todo')
  await add(other.page, 'x'.repeat(81))
  await other.page.waitForSelector('[role=alert]:has-text("The body is not valid")')
  for (const { page } of [one, other]) await untilShown(page, '', 'paint', '', 'paint → doing,paint → todo')
  await one.page.click('#doing button')
  await untilShown(other.page, '', '', 'paint', 'paint → done,paint → doing,paint → todo')
  await other.page.click('#done button')
  for (const { page } of [one, other]) await untilShown(page, '', '', '', 'paint → done,paint → doing,paint → todo')
  t.strictSame(errorsOf(one, other), [])
})

test('a window that was offline shows what others did meanwhile', { skip }, async t => {
  const [one, other] = [await open(), await open()]
  await untilShown(one.page, '', '', '', 'paint → done,paint → doing,paint → todo')
  app.server.closeAllConnections()
  await add(other.page, 'later')
  const moves = 'later → todo,paint → done,paint → doing,paint → todo'
  for (const { page } of [one, other]) await untilShown(page, 'later', '', '', moves)
  t.strictSame(errorsOf(one, other), [])
})
