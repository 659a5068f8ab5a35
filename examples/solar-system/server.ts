import Fastify from 'fastify'
import dataApi, { sqlite } from 'fastify-data-api'
import { solarSystem } from './collections.ts'
import { addDocumentation } from './documentation.ts'
import { fill } from './fill.ts'

// This folder holds the data, and the database file, which is kept between starts.
const [folder = 'examples/solar-system'] = process.argv.slice(2)

const db = sqlite(`${folder}/solar-system.db`)
const rows = fill(db, `${folder}/data`)

const app = Fastify({ logger: { level: 'warn' }, forceCloseConnections: true })
await app.register(dataApi, {
  collections: solarSystem(db),
  explorer: { title: 'The solar system' },
  requestStrategies: { batch: true },
  live: true,
  mcp: true
})
const documentation = await addDocumentation(app)
app.addHook('onClose', () => { db.close() })

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close().catch(console.error) })

const port = Number(process.env['PORT'] ?? 3000)
const url = await app.listen({ port, host: process.env['HOST'] ?? '127.0.0.1' }).catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  console.error(isTaken ? `The port ${port} is in use; choose another one: PORT=${port + 1} npm start` : error)
  process.exit(1)
})

console.log(`The solar system, ${rows} rows of it, is served at ${url}. Ctrl-C stops it.`)
console.log('These URLs are pages in a browser, and JSON for curl:')
for (const path of [
  '/',
  '/planets',
  '/planets/jupiter',
  '/planets/home/moons/Moon',
  '/planets/Saturn/moons?mean_radius_km>200&sort=mean_radius_km+desc',
  '/planets?moon_count>10&fields=name,moon_count,discoverer(name)',
  '/moons/by_name/Titan/planet/visits?fields=kind,arrived_on,mission(name,agency(name))',
  '/missions?planets.name=Pluto',
  '/astronomers/by_name'
]) console.log(`  ${url}${path}`)
console.log(`The API is described at ${url}${documentation}, and for programs at ${url}/openapi.json.`)
