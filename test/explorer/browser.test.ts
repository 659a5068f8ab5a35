import helmet from '@fastify/helmet'
import dataApi, { collection, sqlite } from 'fastify-data-api'
import type { BrowserContextOptions } from 'playwright-core'
import t, { test, type Test } from 'tap'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { addDocumentation } from '../../examples/solar-system/documentation.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import { Mission } from '../../examples/solar-system/schemas.ts'
import { openChromium } from '../helpers/chromium.ts'
import { fastify } from '../helpers/fastify.ts'
import { everybody } from '../helpers/everybody.ts'

// docs/explorer.md. The pages in a browser; its launch is the expensive part, so there is one, and one server.

const { skip, open: openPage } = await openChromium(t)
const data = new URL('../../examples/solar-system/data/', import.meta.url).pathname
const rights = { update: true }
const db = sqlite(':memory:')
fill(db, data)
const app = fastify({ forceCloseConnections: true })
await app.register(helmet)
const missions = collection(Mission, {
  source: db.table('missions', { columns: 'snake_case' }),
  rules: { update: () => rights.update },
  hooks: { creating (mission) { mission.slug = 'new' } },
  requestStrategies: { delete: true }
})
await app.register(dataApi, {
  rules: everybody,
  collections: { ...solarSystem(db), missions },
  explorer: { title: 'The solar system' },
  mcp: true
})
const base = skip === false ? await app.listen({ port: 0 }) : ''
t.teardown(async () => {
  await app.close()
  db.close()
})

/** Opens a page that notes what must not be: errors, and requests to other hosts. */
async function open (options: BrowserContextOptions) {
  const opened = await openPage('about:blank', options)
  const { page, faults } = opened
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  page.on('request', request => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) faults.push(request.url())
  })
  return opened
}

/** Changes a mission as another client would, and returns its new mass. */
async function changeElsewhere (): Promise<string> {
  mass++
  const { statusCode } = await app.inject({ method: 'PATCH', url: '/missions/1', payload: { mass_kg: mass } })
  t.equal(statusCode, 200)
  return String(mass)
}
let mass = 1000

test('a person works with the pages in Chromium, without JavaScript', { skip }, async t => {
  const { page, faults, close } = await open({ javaScriptEnabled: false })

  await t.test('finds an item by a filter, sorts, and opens it', async t => {
    await page.goto(base)
    await page.click('a[href="/moons"]')
    await page.click('button:text("+ filter")')
    await page.click('#filter a:text-is("planet.name")')
    await page.selectOption('.asks select', 'starts_with')
    await page.fill('.asks input[name=_value]', 'Jup')
    await page.click('.asks button:text("Apply")')
    t.equal(page.url(), `${base}/moons?planet.name^=Jup`)
    await page.click('th a:has-text("mean_radius_km")')
    await page.click('th a:has-text("mean_radius_km")')
    t.match(await page.textContent('.sentence'), 'whereplanet.name starts with Jup')
    await page.click('.cond button')
    await page.selectOption('#f0 select', 'in')
    await page.fill('#f0 [name=_value]', 'Mars, Jupiter')
    await page.press('#f0 [name=_value]', 'Enter')
    t.equal(page.url(), `${base}/moons?planet.name=*Mars,Jupiter&sort=mean_radius_km+desc`)
    await page.click('tbody tr:first-child .key a')
    t.equal(await page.textContent('h1 bdi'), 'Ganymede')
  })

  await t.test('selects rows, and is led to the URL of these rows', async t => {
    await page.goto(`${base}/moons?planet.name=Jupiter&sort=-mean_radius_km&fields=name`)
    t.notOk(await page.isVisible('#rows'))
    await page.check('[aria-label="Select Io"]')
    await page.check('[aria-label="Select Europa"]')
    await page.click('button:text("Show these rows")')
    t.equal(page.url(), `${base}/moons?sort=-mean_radius_km&fields=name&name=*Io,Europa`)
    t.strictSame(await page.locator('tbody .key a').allTextContents(), ['Io', 'Europa'])
  })

  await t.test('looks for the item of a relation, which is never listed whole', async t => {
    await page.goto(`${base}/visits?_new`)
    await page.fill('#field-kind', 'flyby')
    await page.fill('#field-planet', 'CUR')
    await page.click('button:text("Search planets")')
    t.strictSame(await page.locator('.found button').allTextContents(), ['Mercury'])
    t.equal(await page.inputValue('#field-kind'), 'flyby')
    await page.click('.found button:has-text("Mercury")')
    t.equal(await page.inputValue('#field-planet'), 'Mercury')
    await page.fill('#field-mission', 'cassini')
    await page.click('button:text("Search missions")')
    await page.click('.found button')
    // Enter saves, though buttons that search come before the one that saves.
    await page.press('#field-kind', 'Enter')
    t.match(page.url(), /\/visits\/\d+\?_done=created$/)
  })

  await t.test('changes an item, and meets a conflict', async t => {
    await page.goto(`${base}/missions/1?_edit`)
    const theirs = await changeElsewhere()
    await page.fill('#field-name', 'Pioneer One')
    await page.fill('#field-mass_kg', '7')
    await page.click('button:text("Save")')
    await page.locator('.merge').first().waitFor()
    t.match(await page.textContent('.stack'), theirs)
    await page.check('[name="_keep.mass_kg"][value=theirs]')
    await page.click('button:text("Save")')
    t.equal(await page.textContent('h1 bdi'), 'Pioneer One')
    t.match(await page.textContent('[role=status]'), 'saved')
    t.equal((await app.inject('/missions/1/mass_kg')).body, theirs)
  })

  t.strictSame(faults, [])
  await close()
})

test('a person works with the pages in Chromium, by keyboard, with JavaScript', { skip }, async t => {
  const { page, faults, close } = await open({})
  /** Waits until these are offered, and nothing else. */
  const offered = async (t: Test, ...values: string[]) => {
    const list = page.locator('#offers')
    const shown = () => list.evaluate(one => [...one.children].map(option => option.getAttribute('value')))
    for (let tries = 0; tries < 3000 && String(await shown()) !== String(values); tries++) await page.waitForTimeout(20)
    t.strictSame(await shown(), values)
  }
  const type = async (selector: string, text: string) => {
    await page.focus(selector)
    await page.keyboard.type(text)
  }

  await t.test('is offered fields, then operators, then values, and filters by them', async t => {
    await page.goto(`${base}/moons`)
    await type('#query', 'planet.n')
    await offered(t, 'planet.name')
    await type('#query', 'ame^')
    await offered(t, 'planet.name^=', 'planet.name^~=')
    await type('#query', '=nep')
    await offered(t, 'planet.name^=Neptune')
    await page.fill('#query', 'mean_radius_km>100&planet.name=Neptune')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${base}/moons?mean_radius_km%3E100&planet.name=Neptune`)
    await page.click('button:text("+ filter")')
    await page.click('#filter a:text-is("name")')
    await type('.asks [name=_value]', 'tri')
    await offered(t, 'Trinculo', 'Triton')
  })

  await t.test('walks through the rows, selects some, copies them, and opens one', async t => {
    await page.goto(`${base}/moons?planet.name=Jupiter&sort=-mean_radius_km&fields=id,name`)
    await page.focus('.scroll')
    for (const key of ['j', 'Space', 'ArrowDown', 'ArrowDown', 'k', 'Space']) await page.keyboard.press(key)
    t.equal(await page.textContent('#rows output'), '2 selected')
    for (const [format, text] of [
      ['CSV', 'id,name\r\n10,Ganymede\r\n11,Callisto\r\n'],
      ['JSON', '[{"id":10,"name":"Ganymede"},{"id":11,"name":"Callisto"}]']
    ] as const) {
      await page.focus(`button:text("Copy ${format}")`)
      await page.keyboard.press('Enter')
      await page.locator('#rows button:text("Copied")').waitFor()
      t.equal(await page.evaluate('navigator.clipboard.readText()'), text)
      await page.locator(`button:text("Copy ${format}")`).waitFor()
    }
    await page.click('tbody tr:nth-child(4) input', { modifiers: ['Shift'] })
    t.equal(await page.textContent('#rows output'), '4 selected')
    await page.click('thead input')
    await page.click('thead input')
    t.notOk(await page.isVisible('#rows'))
    await page.focus('.scroll')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${base}/moons/10`)
  })

  await t.test('copies the request for curl', async t => {
    await page.goto(`${base}/planets?name=Mars`)
    await page.click('button:text("Code")')
    await page.click('#code button')
    await page.locator('button:text("Copied")').waitFor()
    const code = `curl -H 'accept: application/json' '${base}/planets?name=Mars'`
    t.equal(await page.evaluate('navigator.clipboard.readText()'), code)
  })

  await t.test('is told what a field does not take, in the words of the API', async t => {
    await page.goto(`${base}/missions/1?_edit`)
    await page.fill('#field-mass_kg', 'heavy')
    await page.keyboard.press('Enter')
    t.equal(await page.textContent('#fault-mass_kg'), "must be a number or null; found the string 'heavy'")
    await page.fill('#field-mass_kg', '12.5')
    await page.keyboard.press('Enter')
    await page.waitForURL(/_done=saved/)
  })

  await t.test('is offered the items of a relation', async t => {
    await page.goto(`${base}/visits?_new`)
    await type('#field-planet', 'ne')
    await offered(t, 'Neptune')
  })

  await t.test('meets a conflict, and loses the right to change', async t => {
    await page.goto(`${base}/missions/1?_edit`)
    await changeElsewhere()
    await page.fill('#field-name', 'Pioneer Two')
    await page.keyboard.press('Enter')
    await page.locator('.merge').first().waitFor()
    rights.update = false
    await page.focus('button:text("Save")')
    await page.keyboard.press('Enter')
    await page.locator('h1:has-text("Forbidden")').waitFor()
    await page.goto(`${base}/missions/1`)
    t.equal(await page.locator('a:text("Edit")').count(), 0)
    t.not(await page.textContent('h1 bdi'), 'Pioneer Two')
    rights.update = true
  })

  t.strictSame(faults, [])
  await close()
})

// Other pages are those of browser-samples.test.ts.
test('no conflict, no search and no selection violates a rule of axe', { skip }, async t => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, violations, close } = await open({ bypassCSP: true, colorScheme })
    await page.goto(`${base}/moons?planet.name=Jupiter&sort=name`)
    await page.check('tbody tr:first-child input')
    t.strictSame(await violations(), [], `${colorScheme}, a selection`)
    await page.goto(`${base}/missions/1?_edit`)
    await changeElsewhere()
    await page.fill('#field-name', 'Pioneer')
    await page.click('button:text("Save")')
    t.strictSame(await violations(), [], `${colorScheme}, a conflict`)
    await page.goto(`${base}/visits?_new`)
    await page.fill('#field-planet', 'e')
    await page.click('button:text("Search planets")')
    t.strictSame(await violations(), [], `${colorScheme}, a search`)
    await close()
  }
})

// docs/clients.md: Beside @fastify/swagger
test('Swagger UI beside the API executes a request with a filter', { skip }, async t => {
  const documented = fastify({ forceCloseConnections: true })
  await documented.register(dataApi, {
    rules: everybody, prefix: '/api', collections: { ...solarSystem(db), missions }
  })
  const path = await addDocumentation(documented)
  const { page, close } = await openPage(`${await documented.listen({ port: 0 })}${path}/static/index.html`)
  const operation = page.locator('#operations-planets-list_planets')
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('button.try-out__btn').click()
  await operation.locator('tr[data-param-name="name^"] input').fill('J')
  const answered = page.waitForResponse(response => response.url().includes('/api/planets?'))
  await operation.locator('button.execute').click()
  const response = await answered
  t.match(response.url(), /\/api\/planets\?name%5E=J$/)
  t.match(await response.json(), [{ name: 'Jupiter' }])
  await close()
  await documented.close()
})
