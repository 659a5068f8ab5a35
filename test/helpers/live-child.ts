import { Type } from '@sinclair/typebox'
import type { AddressInfo } from 'node:net'
import dataApi, { collection, sqlite } from '../../lib/index.ts'
import Fastify from './fastify.ts'

// A server process of live documents over a SQLite file. test/contract/live-processes.test.ts starts several.

const [, , file = ''] = process.argv
const db = sqlite(file, { busyTimeout: 240_000 })
const Note = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  text: Type.String({ readable: true, writable: true })
})
const app = Fastify({ forceCloseConnections: true })
await app.register(dataApi, {
  collections: { notes: collection(Note, { source: db.table('notes') }) },
  requestStrategies: { delete: true },
  live: { interval: 5, recheck: 3_600_000 }
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.send?.((app.server.address() as AddressInfo).port)
