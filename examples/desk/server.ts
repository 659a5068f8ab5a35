import { randomBytes } from 'node:crypto'
import { buildDesk } from './app.ts'
import { openDatabase } from './database.ts'
import { seed } from './seed.ts'

const { env } = process
const database = openDatabase(env['DATABASE_URL'] ?? env['DATABASE'] ?? ':memory:')
await database.createTables()
const app = await buildDesk({
  database,
  secret: env['JWT_SECRET'] ?? randomBytes(32).toString('hex'),
  files: env['FILES'] ?? 'desk-files',
  origin: env['WEB_ORIGIN'] ?? 'http://localhost:5173',
  proxies: env['PROXIES'],
  tokenLifetime: Number(env['TOKEN_LIFETIME'] ?? 900),
  logger: env['NODE_ENV'] === 'production'
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close().catch(console.error) })

const password = env['SEED_PASSWORD'] ?? randomBytes(9).toString('base64url')
const isSeeded = await seed(app, password)
const url = await app.listen({ port: Number(env['PORT'] ?? 3000), host: env['HOST'] ?? '127.0.0.1' })
console.log(`The desk is served at ${url}/api, in a browser too. Ctrl-C stops it.`)
if (isSeeded) console.log(`ada@acme.example and the others of seed.ts log in with the password ${password}`)
