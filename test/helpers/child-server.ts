import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import dataApi, { collection, sqlite } from '../../lib/index.ts'
import { Album, shop } from '../fixtures/shop.ts'

// A process of its own that serves the shop from a file; on-socket.ts starts it and is sent its port.

const [, , file = ''] = process.argv
const db = sqlite(file)
// Between what a transaction reads and what it writes another process has time to come in.
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
