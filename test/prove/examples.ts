import Fastify from 'fastify'
import dataApi, { sqlite } from 'fastify-data-api'
import type { ProveOptions } from 'fastify-data-api/prove'
import { solarSystem } from '../../examples/solar-system/collections.ts'
import { everybody } from '../helpers/everybody.ts'

// The proofs of the examples, which have no mistake. The package must be built.

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
export const examples = { 'solar-system': async () => solar }
