import { Type } from '@sinclair/typebox'
import { SubCollection, SubItem } from 'fastify-data-api'

// readable: shown to clients. writable: accepted from clients. hidden: shown only if the selection names it.
// listed: shown in listings. identifier: finds an item in a URL. group, unit, description, views: words for people.

const body = { group: 'Body' } as const
const orbit = { group: 'Orbit' } as const
const discovery = { group: 'Discovery' } as const

export const Planet = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  kind: Type.Union([Type.Literal('planet'), Type.Literal('dwarf planet'), Type.Literal('candidate')],
    { readable: true, listed: true }),
  // A field without a flag is never shown or accepted. The lookup `slug` of the collection searches this one.
  slug: Type.String(),
  meanRadiusKm: Type.Number({ readable: true, listed: true, unit: 'km', ...body }),
  massKg: Type.Union([Type.Number(), Type.Null()], { readable: true, unit: 'kg', ...body }),
  semiMajorAxisAu: Type.Number({
    readable: true, unit: 'AU', description: 'Half of the longest diameter of the orbit.', ...orbit
  }),
  orbitalPeriodDays: Type.Number({ readable: true, unit: 'days', ...orbit }),
  rotationHours: Type.Union([Type.Number(), Type.Null()], { readable: true, unit: 'h', ...body }),
  ringed: Type.Boolean({ readable: true, ...body }),
  discoveredOn: Type.Union([Type.String({ format: 'date' }), Type.Null()], { readable: true, ...discovery }),
  discoveryYear: Type.Union([Type.Integer(), Type.Null()], { readable: true, ...discovery }),
  discovererId: Type.Union([Type.Integer(), Type.Null()]),
  symbol: Type.Union([Type.String(), Type.Null()],
    { readable: true, hidden: true, filterable: false, sortable: false }),
  discoverer: SubItem('astronomers', { foreignKey: 'discovererId', readable: true, ...discovery }),
  moons: SubCollection('moons', { foreignKey: 'planetId', readable: true }),
  visits: SubCollection('visits', { foreignKey: 'planetId', readable: true, hidden: true }),
  missions: SubCollection('missions',
    { through: 'mission_visits', foreignKey: 'planetId', otherKey: 'missionId', readable: true, hidden: true })
}, {
  description: 'Planets and dwarf planets of the Sun.',
  views: {
    All: 'fields=name,kind,mean_radius_km,orbital_period_days,ringed,discovery_year,moons.count()',
    Largest: 'sort=mean_radius_km desc&fields=name,mean_radius_km,mass_kg,moons.count()'
  }
})

export const Moon = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  slug: Type.String(),
  planetId: Type.Integer(),
  meanRadiusKm: Type.Union([Type.Number(), Type.Null()], { readable: true, listed: true, unit: 'km', ...body }),
  massKg: Type.Union([Type.Number(), Type.Null()], { readable: true, unit: 'kg', ...body }),
  orbitalPeriodDays: Type.Union([Type.Number(), Type.Null()], { readable: true, unit: 'days', ...orbit }),
  discoveryYear: Type.Union([Type.Integer(), Type.Null()], { readable: true, ...discovery }),
  discoveredOn: Type.Union([Type.String({ format: 'date' }), Type.Null()], { readable: true, ...discovery }),
  discovererId: Type.Union([Type.Integer(), Type.Null()]),
  planet: SubItem('planets', { foreignKey: 'planetId', readable: true }),
  discoverer: SubItem('astronomers', { foreignKey: 'discovererId', readable: true, ...discovery }),
  missions: SubCollection('missions',
    { through: 'mission_moons', foreignKey: 'moonId', otherKey: 'missionId', readable: true, hidden: true })
}, { description: 'Moons with a name.' })

export const Astronomer = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  born: Type.Union([Type.Integer(), Type.Null()], { readable: true, listed: true }),
  died: Type.Union([Type.Integer(), Type.Null()], { readable: true, listed: true }),
  nationality: Type.Union([Type.String(), Type.Null()], { readable: true }),
  biography: Type.Union([Type.String(), Type.Null()], { readable: true, hidden: true }),
  moons: SubCollection('moons', { foreignKey: 'discovererId', readable: true }),
  planets: SubCollection('planets', { foreignKey: 'discovererId', readable: true })
})

export const Agency = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true }),
  fullName: Type.String({ readable: true }),
  country: Type.String({ readable: true, listed: true }),
  founded: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
  dissolved: Type.Union([Type.Integer(), Type.Null()], { readable: true }),
  website: Type.Union([Type.String({ format: 'uri' }), Type.Null()], { readable: true }),
  missions: SubCollection('missions', { foreignKey: 'agencyId', readable: true })
})

export const Mission = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  name: Type.String({ identifier: true, readable: true, writable: true, minLength: 1 }),
  // A hook derives it from the name.
  slug: Type.String(),
  agencyId: Type.Integer(),
  launchedOn: Type.String({ format: 'date', readable: true, writable: true, listed: true }),
  launchVehicle: Type.Union([Type.String(), Type.Null()], { readable: true, writable: true, default: null }),
  outcome: Type.Union([
    Type.Literal('success'), Type.Literal('partial'), Type.Literal('failure'), Type.Literal('ongoing')
  ], { readable: true, writable: true, listed: true }),
  crewed: Type.Boolean({ readable: true, writable: true }),
  endedOn: Type.Union([Type.String({ format: 'date' }), Type.Null()],
    { readable: true, writable: true, default: null }),
  // Write-only: clients can write it, but not read it.
  curatorNote: Type.Optional(Type.String({ writable: true })),
  massKg: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()],
    { readable: true, writable: true, default: null, unit: 'kg' }),
  agency: SubItem('agencies', { foreignKey: 'agencyId', readable: true, writable: true }),
  visits: SubCollection('visits', { foreignKey: 'missionId', readable: true, writable: true }),
  planets: SubCollection('planets',
    { through: 'mission_visits', foreignKey: 'missionId', otherKey: 'planetId', readable: true }),
  moons: SubCollection('moons',
    { through: 'mission_moons', foreignKey: 'missionId', otherKey: 'moonId', readable: true, writable: true })
})

export const Visit = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  missionId: Type.Integer(),
  planetId: Type.Integer(),
  kind: Type.String({ readable: true, writable: true, listed: true }),
  arrivedOn: Type.Union([Type.String({ format: 'date' }), Type.Null()],
    { readable: true, writable: true, listed: true, default: null }),
  mission: SubItem('missions', { foreignKey: 'missionId', readable: true, writable: true }),
  planet: SubItem('planets', { foreignKey: 'planetId', readable: true, writable: true })
})
