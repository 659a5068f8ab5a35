import { randomBytes } from 'node:crypto'
import { buildTeams } from './app.ts'

const app = await buildTeams({ secret: process.env['JWT_SECRET'] ?? randomBytes(32).toString('hex') })

const users = app.dataApi.asSystem().collection('users')
const password = randomBytes(9).toString('base64url')
await users.create([
  { name: 'Ada', role: 'lead', teamId: 1, password },
  { name: 'Bob', teamId: 1, password },
  { name: 'Eve', teamId: 2, password }
])

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close().catch(console.error) })

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? '127.0.0.1' })

console.log(`The notes of two teams are served at ${url}. Ctrl-C stops it.

Ada leads the red team, Bob is in it, and Eve is in the blue one. The password of each of them is ${password}

  curl ${url}/login --json '{"name":"Ada","password":"${password}"}'
  curl ${url}/notes -H 'authorization: Bearer <token>'
  curl ${url}/notes -H 'authorization: Bearer <token>' --json '{"text":"Buy paint."}'
  curl ${url}/entries -H 'authorization: Bearer <token>'
  curl -X POST ${url}/teams/1/clear -H 'authorization: Bearer <token>'
  curl ${url}/health
  curl ${url}/metrics`)
