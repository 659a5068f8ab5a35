import { Type } from '@sinclair/typebox'
import { ArgumentError, collection, computed, exactly, expression, lookup, type SqliteDatabase } from 'fastify-data-api'
import { Agency, Astronomer, Mission, Moon, Planet, Visit } from './schemas.ts'

const yearsSince = (year: number | null) => year === null ? null : new Date().getUTCFullYear() - year

const slugOf = (name: string) => name.toLowerCase().replaceAll("'", '').replaceAll(/[^a-z0-9]+/g, '-')

/** The collections of the example over its database. */
export function solarSystem (db: SqliteDatabase) {
  const table = (name: string) => db.table(name, { columns: 'snake_case' })

  const planets = collection(Planet, {
    source: table('planets'),
    computed: {
      getYearsSinceDiscovery: computed({
        type: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
        from: ['discoveryYear'],
        get: ({ discoveryYear }) => yearsSince(discoveryYear)
      }),
      moonCount: expression({
        type: Type.Integer({ readable: true, listed: true }),
        sql: eb =>
          eb.selectFrom('moons').whereRef('moons.planet_id', '=', 'planets.id').select(eb.fn.countAll().as('count'))
      })
    },
    identifiers: {
      slug: lookup({ type: Type.String(), find: slug => ({ slug }) }),
      home: exactly('home', () => ({ name: 'Earth' }))
    }
  })

  const moons = collection(Moon, {
    source: table('moons'),
    computed: {
      getYearsSinceDiscovery: computed({
        type: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
        from: ['discoveryYear'],
        get: ({ discoveryYear }) => yearsSince(discoveryYear)
      })
    },
    identifiers: { slug: lookup({ type: Type.String(), find: slug => ({ slug }) }) },
    pages: { defaultSize: 20 }
  })

  const missions = collection(Mission, {
    source: table('missions'),
    setters: {
      endedOn (mission, day) {
        if (day !== null && day < mission.launchedOn) {
          throw new ArgumentError(`A mission launched on ${mission.launchedOn} cannot have ended before.`)
        }
        mission.endedOn = day
      }
    },
    hooks: {
      creating (mission) { mission.slug = slugOf(mission.name ?? '') },
      updating (mission) { mission.slug = slugOf(mission.name) }
    },
    requestStrategies: { delete: true },
    identifiers: { slug: lookup({ type: Type.String(), find: slug => ({ slug }) }) },
    pages: { defaultSize: 20 }
  })

  return {
    planets,
    moons,
    missions,
    visits: collection(Visit, { source: table('mission_visits'), requestStrategies: { delete: true } }),
    astronomers: collection(Astronomer, { source: table('astronomers') }),
    agencies: collection(Agency, { source: table('agencies') })
  }
}
