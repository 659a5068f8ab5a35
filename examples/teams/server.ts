import { randomBytes } from 'node:crypto'
import { buildTeams } from './app.ts'

const app = await buildTeams({ secret: process.env['JWT_SECRET'] ?? randomBytes(32).toString('hex') })

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { app.close().catch(console.error) })

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: process.env['HOST'] ?? '127.0.0.1' })

console.log(`The notes of two teams are served at ${url}. Ctrl-C stops it. What each caller sees:`)
for (const user of [{ team: 1, role: 'member' }, { team: 1, role: 'lead' }, { team: 2, role: 'member' }] as const) {
  console.log(
    `\n  a ${user.role} of team ${user.team}:\n  curl ${url}/notes -H 'authorization: Bearer ${app.jwt.sign(user)}'`
  )
}
