import { test } from 'tap'
import { hostCheck } from '../../lib/tools/command/guard.ts'
import { makeFile, serveTarget } from './helpers.ts'

// docs/command.md: Safe as it comes

const script = "create table artists (id integer primary key, name text); insert into artists values (1, 'Can')"

test('requests under a foreign name are refused, whatever they ask for', async t => {
  const { app, close } = await serveTarget(makeFile(script))
  for (const [host, status] of [
    ['localhost:3000', 200], ['127.0.0.1', 200], ['[::1]:3000', 200], ['LOCALHOST', 200],
    ['evil.example', 403], ['evil.example:3000', 403], ['127.0.0.1.evil.example', 403], ['localhost.evil.example', 403],
    ['192.168.0.1', 403], ['localhost:80:80', 403], ['[::1', 403], ['user@localhost', 403]
  ] as const) {
    for (const url of ['/', '/artists/1', '/openapi.json', '/nothing']) {
      const answer = await app.inject({ url, headers: { host } })
      t.equal(answer.statusCode === 403 ? 403 : 200, status, `${host} ${url}`)
      t.equal(answer.headers['access-control-allow-origin'], undefined)
    }
  }
  t.same(['10.0.0.7', 'evil.example', 'localhost'].map(hostCheck('0.0.0.0')), [true, false, true])
  t.same(['10.0.0.7', '10.0.0.8'].map(hostCheck('10.0.0.7')), [true, false])
  await close()
})

test('a page of another site gets 403 for all but a link that is followed', async t => {
  const { app, close } = await serveTarget(makeFile(script), '--write')
  for (const site of ['cross-site', 'same-site', 'same-origin', 'none', undefined]) {
    for (const mode of ['navigate', 'no-cors', 'cors', 'websocket', undefined]) {
      for (const destination of ['document', 'script', 'image', 'object', 'iframe', 'empty', undefined]) {
        for (const method of ['GET', 'HEAD', 'QUERY', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
          const headers = Object.fromEntries(Object.entries({
            'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination
          }).filter(([, value]) => value !== undefined))
          const isOwn = site !== 'cross-site' && site !== 'same-site'
          const isLink = method === 'GET' && mode === 'navigate' && destination === 'document'
          const { statusCode } = await app.inject({ method: method as 'GET', url: '/nowhere/1', headers })
          t.equal(statusCode === 403, !isOwn && !isLink, [method, site, mode, destination].join(' '))
        }
      }
    }
  }
  await close()
})
