import type { AddressInfo } from 'node:net'
import type { Server } from 'node:http'
import { get } from 'node:http'

/** The module of the published package. */
type Package = typeof import('../../lib/index.ts')
type FastifyFactory = typeof import('fastify')['fastify']

/** Tables with a server of them, and what it takes to load their code: both return when they are done. */
interface Subject { load (): Promise<void>, open (names: readonly string[]): Promise<Server> }

/** Fastify alone, with a route for each name. */
function fastifyAlone (): Subject {
  let fastify: FastifyFactory | undefined
  return {
    async load () { fastify = (await import('fastify')).fastify },
    async open (names) {
      const app = fastify?.() ?? never()
      for (const name of names) app.get(`/${name}`, async () => [])
      await app.listen({ host: '127.0.0.1', port: 0 })
      return app.server
    }
  }
}

/** Express with drizzle, whose packages are those of benchmarks/package.json. */
function expressWithDrizzle (program: string): Subject {
  let rival: { open (names: readonly string[]): Server } | undefined
  return {
    async load () { rival = await import(program) as typeof rival },
    async open (names) {
      const server = rival?.open(names) ?? never()
      await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
      return server
    }
  }
}

/** Fastify with the package, whose entry is given. */
function published (entry: string, kind: 'memory' | 'sqlite'): Subject {
  let loaded: [FastifyFactory, typeof import('@sinclair/typebox'), Package] | undefined
  return {
    async load () {
      loaded = [(await import('fastify')).fastify, await import('@sinclair/typebox'), await import(entry) as Package]
    },
    async open (names) {
      const [fastify, { Type }, { collection, default: dataApi, memory, sqlite }] = loaded ?? never()
      const schema = Type.Object({
        id: Type.Integer({ identifier: true, readable: true }),
        name: Type.String({ readable: true, writable: true, minLength: 1 }),
        founded: Type.Optional(Type.Integer({ readable: true, writable: true })),
        changed: Type.Optional(Type.String({ format: 'date-time', readable: true }))
      })
      const db = kind === 'sqlite' ? sqlite(':memory:') : undefined
      for (const name of names) db?.exec(`create table ${name} (id integer primary key, name, founded, changed)`)
      const app = fastify()
      await app.register(dataApi, {
        collections: Object.fromEntries(
          names.map(name => [name, collection(schema, { source: db?.table(name) ?? memory([]) })])
        )
      })
      await app.listen({ host: '127.0.0.1', port: 0 })
      return app.server
    }
  }
}

function never (): never { throw new TypeError('not loaded') }

const [, , kind = '', count = '', program = ''] = process.argv
const subject = kind === 'fastify'
  ? fastifyAlone()
  : kind === 'express' ? expressWithDrizzle(program) : published(program, kind === 'sqlite' ? 'sqlite' : 'memory')

/** Returns the CPU time of a step, in milliseconds, and what it returned. */
async function timed<T> (step: () => Promise<T>): Promise<readonly [number, T]> {
  const before = process.cpuUsage()
  const result = await step()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1000, result]
}

const begun = performance.now()
const [loading] = await timed(async () => subject.load())
const names = Array.from({ length: Number(count) }, (_, index) => `items${index}`)
const [opening, server] = await timed(async () => subject.open(names))
const { port } = server.address() as AddressInfo
const [first] = await timed(async () => new Promise<void>((resolve, reject) => {
  get({ host: '127.0.0.1', port, path: '/items0' }, answer => { answer.resume().on('end', resolve) })
    .on('error', reject)
}))
const time = performance.now() - begun
const heap = process.memoryUsage().heapUsed / 1e6
console.log(JSON.stringify({ loading, opening, first, time, heap }))
process.exit()
