const begun = { cpu: process.cpuUsage(), time: performance.now() }

/** The module of the published package. */
type Package = typeof import('../../lib/index.ts')

/** Serves collections, and waits for the answer to the first request. */
async function serve (load: () => Promise<Package>, kind: string, count: number): Promise<void> {
  const { default: Fastify } = await import('fastify')
  const { Type } = await import('@sinclair/typebox')
  const { collection, default: dataApi, memory, sqlite } = await load()
  const schema = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ readable: true, writable: true, minLength: 1 }),
    founded: Type.Optional(Type.Integer({ readable: true, writable: true })),
    changed: Type.Optional(Type.String({ format: 'date-time', readable: true }))
  })
  const names = Array.from({ length: count }, (_, index) => `items${index}`)
  const db = kind === 'sqlite' ? sqlite(':memory:') : undefined
  for (const name of names) db?.exec(`create table ${name} (id integer primary key, name, founded, changed)`)
  const app = Fastify()
  await app.register(dataApi, {
    collections: Object.fromEntries(
      names.map(name => [name, collection(schema, { source: db?.table(name) ?? memory([]) })])
    )
  })
  await app.inject('/items0')
}

const [, , entry = '', subject = '', count = ''] = process.argv
const load = async () => await import(entry) as Package
if (count !== '') await serve(load, subject, Number(count))
else await import('fastify')
if (subject === 'package' || subject === 'typebox') await import('@sinclair/typebox')
if (subject === 'package') await load()

const { user, system } = process.cpuUsage(begun.cpu)
const heap = process.memoryUsage().heapUsed / 1e6
console.log(JSON.stringify({ cpu: (user + system) / 1000, time: performance.now() - begun.time, heap }))

export {}
