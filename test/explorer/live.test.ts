import { Type } from '@sinclair/typebox'
import type { Page } from 'playwright-core'
import t, { test } from 'tap'
import dataApi, { collection, memory, SubCollection, SubItem } from '../../lib/index.ts'
import { openChromium } from '../helpers/chromium.ts'
import { fastify } from '../helpers/fastify.ts'
import { eventually } from '../helpers/follow.ts'

// docs/explorer.md: With JavaScript. The switch `Live`, and EventSource, in a browser.

const both = { readable: true, writable: true }
const Team = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String(both),
  notes: SubCollection('notes', { foreignKey: 'teamId', readable: true })
})
const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String(both),
  teamId: Type.Integer(),
  team: SubItem('teams', { foreignKey: 'teamId', ...both })
})

const { skip, open } = await openChromium(t)
const app = fastify({ forceCloseConnections: true })
const long = 'a long text '.repeat(30)
const teams = [{ id: 1, name: 'red' }, { id: 2, name: 'blue' }]
const notes = [{ id: 1, text: 'one', teamId: 1 }, { id: 2, text: long, teamId: 1 }, { id: 3, text: 'three', teamId: 1 }]
await app.register(dataApi, {
  collections: {
    teams: collection(Team, { source: memory(teams) }), notes: collection(Note, { source: memory(notes) })
  },
  requestStrategies: { delete: true },
  explorer: true,
  live: { interval: 10 }
})
const base = skip === false ? await app.listen({ port: 0, host: '127.0.0.1' }) : ''
t.teardown(() => app.close())

/** Waits until an expression is true. The pages forbid the function of the browser for that. */
const until = (page: Page, expression: string) => eventually(() => page.evaluate(expression), () => expression)

async function send (method: 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object): Promise<void> {
  const { statusCode, body } = await app.inject({ method, url, ...payload && { payload } })
  t.ok(statusCode < 300, body)
}

test('a listing that is live shows what changes, and keeps what does not', { skip }, async t => {
  const { page, faults, close } = await open(base + '/notes?sort=id')
  await page.click('button:text-is("Live")')
  t.equal(await page.getAttribute('button:text-is("Live")', 'aria-pressed'), 'true')
  await page.locator('tbody tr:nth-child(2) [name=_row]').check()
  await page.evaluate('document.querySelector("tbody tr:nth-child(2)").kept = true')
  await send('PATCH', '/notes/3', { text: 'changed' })
  await page.waitForSelector('td:has-text("changed")')
  const marked = () => page.evaluate(`document.getAnimations().map(({ effect }) => effect.target)
    .filter(({ tagName }) => tagName === 'TR').map(row => row.querySelector('.key').textContent)`)
  t.strictSame(await marked(), ['3'])
  await until(page, 'document.getAnimations().filter(one => one.effect.target.tagName === "TR").length === 0')
  await send('POST', '/notes', { text: `${long} new`, team: { id: 2 } })
  await send('DELETE', '/notes/1')
  await until(page, 'document.querySelectorAll("tbody tr").length === 3')
  await page.waitForSelector('td:has-text("new")')
  t.ok(await page.evaluate('document.querySelector("tbody tr").kept'), 'an unchanged row is the same')
  t.equal(await page.textContent('#rows output'), '1 selected')
  await page.locator('tbody tr:nth-child(1) .cut').click()
  t.match(await page.locator('.value:popover-open').textContent(), long.trim())
  await page.keyboard.press('Escape')
  await page.locator('tbody tr:nth-child(3) .cut').click()
  t.match(await page.locator('.value:popover-open').textContent(), 'new')
  await page.keyboard.press('Escape')
  await page.locator('tbody tr:nth-child(1) [name=_row]').focus()
  await page.keyboard.press('j')
  t.equal(await page.evaluate('document.activeElement.value'), '3')
  await page.click('button:text-is("Live")')
  t.equal(await page.getAttribute('button:text-is("Live")', 'aria-pressed'), 'false')
  t.strictSame(faults, [])
  await close()
})

test('an item that is live shows its values, its elements, and its error', { skip }, async t => {
  const { page, faults, close } = await open(base + '/teams/2', { reducedMotion: 'reduce' })
  await page.click('button:text-is("Live")')
  await page.waitForSelector('button[aria-pressed=true]')
  await send('PATCH', '/notes/4', { team: { id: 1 } })
  await page.waitForSelector('.empty')
  await send('PATCH', '/notes/4', { team: { id: 2 }, text: 'back' })
  await page.waitForSelector('tbody td:has-text("back")')
  await send('PATCH', '/teams/2', { name: 'green' })
  await page.waitForSelector('dd:has-text("green")')
  t.strictSame(await page.evaluate(`document.getAnimations().filter(one => one.effect.target.tagName !== 'TD')
    .map(one => [one.effect.getTiming().duration, one.effect.getKeyframes()[0].easing])
    .filter(([duration]) => duration === 1000).slice(0, 1)`), [[1000, 'steps(1)']])
  t.strictSame(faults, [])
  await send('PATCH', '/notes/4', { team: { id: 1 } })
  await send('DELETE', '/teams/2')
  await page.waitForSelector('[data-live]', { state: 'detached' })
  t.match(await page.textContent('main'), 'There is no')
  await close()
})

test('EventSource follows a document, and takes it up where it was cut off', { skip }, async t => {
  const { page, close } = await open(base + '/notes/3')
  await page.evaluate(`
    seen = []
    events = new EventSource('/notes/3?fields=text')
    for (const name of ['snapshot', 'patch', 'end']) events.addEventListener(name, ({ data, lastEventId }) => {
      seen.push([name, JSON.parse(data), lastEventId])
    })`)
  const seen = async (count: number) => {
    await until(page, `seen.length === ${count}`)
    return await page.evaluate('seen') as ReadonlyArray<readonly [string, unknown, string]>
  }
  const tagNow = async () => (await app.inject('/notes/3?fields=text')).headers.etag
  t.strictSame(await seen(1), [['snapshot', { text: 'changed' }, await tagNow()]])
  app.server.closeAllConnections()
  await send('PATCH', '/notes/3', { text: 'meanwhile' })
  t.strictSame((await seen(2))[1], ['snapshot', { text: 'meanwhile' }, await tagNow()])
  app.server.closeAllConnections()
  await until(page, 'events.readyState === 0')
  await until(page, 'events.readyState === 1')
  await send('PATCH', '/notes/3', { text: 'patched' })
  t.strictSame((await seen(3))[2], ['patch', [{ op: 'replace', path: '/text', value: 'patched' }], await tagNow()])
  await send('DELETE', '/notes/3')
  t.match((await seen(4))[3], ['end', { error: 'identifier_not_found' }])
  await until(page, 'events.readyState === 2')
  await close()
})

test('pages without a live document have no switch', async t => {
  const still = fastify()
  await still.register(dataApi, {
    collections: {
      teams: collection(Team, { source: memory(teams) }), notes: collection(Note, { source: memory(notes) })
    },
    explorer: true,
    live: { collections: ['teams'] }
  })
  const page = async (url: string) => (await still.inject({ url, headers: { accept: 'text/html' } })).body
  t.match(await page('/teams?_count'), 'data-live="/teams?format=events"')
  t.match(await page('/teams/1'), 'data-live="/teams/1?format=events"')
  for (const url of ['/', '/notes', '/notes/1', '/teams/by_id', '/teams?_new', '/teams/9']) {
    t.equal((await page(url)).includes('data-live='), url === '/teams/by_id', url)
  }
})
