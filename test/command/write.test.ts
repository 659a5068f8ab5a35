import { test } from 'tap'
import { hostCheck } from '../../lib/tools/command/guard.ts'
import { makeFile, serveTarget } from './helpers.ts'

// docs/command.md: Safe as it comes. Whose requests are answered, and what clients may write with --write.

test('--write lets no client make links that need more than two keys', async t => {
  const { app } = await serveTarget(makeFile(`create table a (id integer primary key);
    create table b (id integer primary key); insert into a values (1); insert into b values (1);
    create table a_b (a_id int not null references a, b_id int not null references b, updated_at datetime not null,
      primary key (a_id, b_id))`), '--write')
  t.strictSame((await app.inject('/a/1/b')).json(), [])
  t.equal((await app.inject({ method: 'POST', url: '/a/1/b', payload: { id: 1 } })).statusCode, 405)
})

test('--write offers no POST that a required column would always refuse', async t => {
  const { app, design } = await serveTarget(makeFile(`
    create table users (id integer primary key, name text not null, password_hash text not null);
    create table photos (id integer primary key, data blob not null); insert into photos values (1, x'00');
    create table tokens (id integer primary key, note text, token text not null default 'none');
    create table orders (id integer primary key); create table goods (id integer primary key);
    create table lines (order_id integer not null references orders, good_id integer not null references goods,
      amount integer not null, primary key (order_id, good_id));
    create view names as select id, name from users;
    insert into users values (1, 'Ann', 'x'); insert into orders values (1); insert into goods values (2), (3)
  `), '--write', '--key', 'names=id')
  const send = async (method: 'POST' | 'PATCH', url: string, payload: object) =>
    (await app.inject({ method, url, payload })).statusCode
  for (const name of ['users', 'photos', 'names']) {
    t.equal(await send('POST', `/${name}`, { name: 'Bo' }), 405, name)
    const { headers } = await app.inject({ method: 'OPTIONS', url: `/${name}` })
    t.notMatch(headers['allow'], /POST/, name)
  }
  t.match(design.omissions, [{ place: 'photos.data' }, {
    place: 'POST photos', reason: 'the column data needs a value, and clients cannot write it'
  }, { place: 'POST users', reason: 'the column password_hash needs a value, and clients cannot write it' }])
  t.equal(await send('PATCH', '/users/1', { name: 'Bo' }), 200)
  t.equal(await send('POST', '/tokens', {}), 201)
  t.equal(await send('POST', '/lines', { order_id: 1, good_id: 2, amount: 3 }), 201)
  t.equal(await send('POST', '/orders/1/lines', { good_id: 3, amount: 3 }), 201)
})

test('--write offers no write that SQLite refuses whatever it holds', async t => {
  const { app, design } = await serveTarget(makeFile(`
    pragma foreign_keys = off;
    create table photos (id integer primary key, name text, album_id integer references albums);
    create table books (id integer primary key, name text);
    create trigger sorted after insert on books begin update books set name = title_sort(name) where id = new.id; end;
    insert into photos values (1, 'a', 7)`), '--write')
  t.strictSame((await app.inject('/photos')).json(), [{ id: 1, name: 'a', album_id: 7 }])
  const writes = [['POST', '/photos'], ['PATCH', '/photos/1'], ['DELETE', '/photos/1'], ['POST', '/books']] as const
  for (const [method, url] of writes) {
    t.equal((await app.inject({ method, url, payload: { name: 'b' } })).statusCode, 405, `${method} ${url}`)
  }
  t.match(design.omissions, [
    { place: 'writes of books', reason: 'no such function: title_sort' },
    { place: 'writes of photos', reason: 'no such table: main.albums' }
  ])
})

const script = "create table artists (id integer primary key, name text); insert into artists values (1, 'Can')"

test('requests under a foreign name are refused, whatever they ask for', async t => {
  const { app } = await serveTarget(makeFile(script))
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
})

test('a page of another site gets 403 for all but a link that is followed', async t => {
  const { app } = await serveTarget(makeFile(script), '--write')
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
})
