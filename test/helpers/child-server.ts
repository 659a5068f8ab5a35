import Fastify from './fastify.ts'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import dataApi, { collection, sqlite } from '../../lib/index.ts'
import { Album, shop } from '../fixtures/shop.ts'

// A server process over a SQLite file of the shop. on-socket.ts starts it and receives its port.

const [, , file = ''] = process.argv
// On a slow machine the writes of several processes wait for each other longer than 5 seconds.
const db = sqlite(file, { busyTimeout: 240_000 })
// The hooks wait, so that another process can write between a transaction's reads and its writes.
const albums = collection(Album, {
  source: db.table('albums'),
  hooks: { creating: () => sleep(1), updating: () => sleep(1) }
})
const app = Fastify()
await app.register(dataApi, {
  collections: { ...shop()(table => db.table(table)), albums },
  requestStrategies: { upsert: true }
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.send?.((app.server.address() as AddressInfo).port)
