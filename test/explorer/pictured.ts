import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import dataApi, { sqlite } from '../../lib/index.ts'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { fill } from '../../examples/solar-system/fill.ts'
import { valuesOf } from '../helpers/explorer-forms.ts'
import { sent } from '../helpers/explorer-pages.ts'

/** The URL of the pages and the JSON in the pictures of the documents. */
export const request = '/moons?planet.name=Saturn&mean_radius_km>100&sort=-mean_radius_km' +
  '&fields=name,mean_radius_km,planet(name)'

/** What another changes, and what the form says, in the picture of a conflict. */
export const theirs = { name: 'Pioneer I', outcome: 'success' }
export const mine = { name: 'Pioneer One' }

/** Adds the API of the pictures to an application. Returns its database. */
export async function addPictured (app: FastifyInstance, root: string) {
  const db = sqlite(':memory:')
  fill(db, `${root}examples/solar-system/data/`)
  await app.register(dataApi, {
    collections: solarSystem(db),
    requestStrategies: { delete: true },
    explorer: { title: 'The solar system' },
    mcp: true
  })
  return db
}

/** Returns digests of the pages in the pictures, with their style. It changes the item of the conflict. */
export async function digestsOf (app: FastifyInstance): Promise<Record<string, string>> {
  const digest = (page: string) => createHash('sha256').update(page).digest('base64url').slice(0, 16)
  const grid = await app.inject({ url: request, headers: sent })
  const agents = await app.inject({ url: '/mcp', headers: sent })
  const form = valuesOf((await app.inject({ url: '/missions/1?_edit', headers: sent })).body)
  await app.inject({ method: 'PATCH', url: '/missions/1', payload: theirs })
  const payload = new URLSearchParams({ ...form, ...mine }).toString()
  const conflict = await app.inject({ method: 'POST', url: '/missions/1', headers: sent, payload })
  return { grid: digest(grid.body), agents: digest(agents.body), conflict: digest(conflict.body) }
}
