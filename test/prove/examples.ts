import Fastify from 'fastify'
import dataApi, { type Caller, sqlite } from 'fastify-data-api'
import type { ProveOptions } from 'fastify-data-api/prove'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { buildTeams } from '../../examples/teams/app.ts'
import { everybody } from '../helpers/everybody.ts'

// The proofs of the examples, which have no mistake. The package must be built.

async function teams (): Promise<ProveOptions> {
  const secret = 'a secret of tests, and of no server'
  const app = await buildTeams({ secret })
  await app.ready()
  const as = (caller: Caller) => ({ headers: { authorization: `Bearer ${app.jwt.sign(caller)}` } })
  const callers = { lead: as({ id: 1, team: 1, role: 'lead' }), member: as({ id: 2, team: 1, role: 'member' }) }
  await app.close()
  return {
    app: () => buildTeams({ secret, requests: 1e9 }),
    callers,
    routes: ['POST /teams/:id/clear', 'POST /login {"name":":name","password":"correct horse"}', 'GET /health']
  }
}

const solar: ProveOptions = {
  app: async () => {
    const app = Fastify()
    await app.register(dataApi, {
      rules: everybody,
      collections: solarSystem(sqlite(':memory:')),
      explorer: true,
      live: true
    })
    return app
  },
  // Lookups find by slugs, which no item shows. Home is the item named Earth, and no generated row is.
  allow: ['planets.slug', 'moons.slug', 'missions.slug', "planets by 'home'"]
}

/** The options of each example's proof. */
export const examples = { teams, 'solar-system': async () => solar }
