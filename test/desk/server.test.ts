import { test } from 'tap'
import { onEachDatabase, openDesk } from '../helpers/desk.ts'

onEachDatabase('people log in and see what is theirs', async (t, kind) => {
  const { ask } = await openDesk(t, kind)
  t.equal((await ask('', '/api/tickets')).statusCode, 401)
  t.strictSame((await ask('bob', '/api/tenants?fields=name')).json(), [{ name: 'Acme' }])
  t.strictSame((await ask('finn', '/api/people/me?fields=name,role')).json(), { name: 'Finn', role: 'agent' })
  t.strictSame((await ask('bob', '/api/tickets?fields=count()')).json(), [{ count: 30 }])
})

test('health and metrics are asked without a token', async t => {
  const { ask } = await openDesk(t, 'sqlite')
  t.strictSame((await ask('', '/health')).json(), { status: 'ok' })
  await ask('bob', '/api/tickets')
  const { body } = await ask('', '/metrics')
  t.match(body, 'requests_total{collection="tickets",kind="list",status="200"} 1\n')
  t.match(body, /^statements_total\{collection="tickets",kind="read"\} [1-9]/m)
})
