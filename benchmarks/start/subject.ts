const begun = { cpu: process.cpuUsage(), time: performance.now() }

/** Serves as many collections as a small application has, and waits for the answer to its first request. */
async function serve (kind: 'memory' | 'sqlite'): Promise<void> {
  const { default: Fastify } = await import('fastify')
  const { Type } = await import('@sinclair/typebox')
  const { collection, default: dataApi, memory, sqlite } = await import('../../lib/index.ts')
  const schema = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    name: Type.String({ readable: true, writable: true, minLength: 1 }),
    founded: Type.Optional(Type.Integer({ readable: true, writable: true })),
    changed: Type.Optional(Type.String({ format: 'date-time', readable: true }))
  })
  const names = Array.from({ length: 12 }, (_, index) => `items${index}`)
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

const [, , subject] = process.argv
if (subject === 'memory' || subject === 'sqlite') await serve(subject)
else await import('fastify')
if (subject === 'package' || subject === 'typebox') await import('../../lib/index.ts')
if (subject === 'typebox') await import('@sinclair/typebox')

const { user, system } = process.cpuUsage(begun.cpu)
console.log(JSON.stringify({ cpu: (user + system) / 1000, time: performance.now() - begun.time }))

export {}
