import { setTimeout as sleep } from 'node:timers/promises'
import { ArgumentError } from '../../lib/index.ts'
import { contents, ddl, tables } from '../fixtures/shop.ts'
import { everySource, type World } from '../helpers/every-source.ts'
import { artist, everyKind, onEach, shopWith, unexpected } from '../helpers/on-each-store.ts'

// docs/http.md: Writing. What the application throws while it is asked.

/** What the application throws: nothing, but where it is called for the artist of that name. */
const trouble = { at: '', name: '', cause () {} }

const call = (at: string, name: unknown) => at === trouble.at && name === trouble.name ? trouble.cause() : undefined

const troubled: World = {
  tables,
  ddl,
  collections: shopWith({
    setters: {
      name (artist, name) {
        artist.name = name
        return call('setter', name)
      }
    },
    hooks: {
      creating: artist => call('creating', artist.name),
      updating: artist => call('updating', artist.name),
      deleting: artist => call('deleting', artist.name)
    }
  })
}

interface Fault { readonly error: unknown, readonly status: number, readonly body: object, readonly pointed?: true }

const withStatus = (message: string, statusCode: number) => Object.assign(new Error(message), { statusCode })

const faults: Readonly<Record<string, Fault>> = {
  'an error': { error: new Error('the secret'), status: 500, body: unexpected },
  'what is no error': { error: 'the secret', status: 500, body: unexpected },
  'an error with a status of 5xx': {
    error: withStatus('Down.', 502), status: 502, body: { error: 'rejected', message: 'Down.' }
  },
  'an ArgumentError': {
    error: new ArgumentError('Not so.'), status: 400, body: { error: 'argument', message: 'Not so.' }, pointed: true
  },
  'an error with a status of 4xx': {
    error: withStatus('Not you.', 403), status: 403, body: { error: 'forbidden', message: 'Not you.' }
  }
}

const causes = {
  at_once: (error: unknown) => () => { throw error },
  // What was begun before has time to show.
  later: (error: unknown) => async () => {
    await sleep(1)
    throw error
  }
}

type Request = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown]

const three = (bad: string) =>
  [artist('one', { albums: [{ title: 'a', tracks: [{ title: 'b' }] }] }), artist(bad), artist('three')]

/** Where the application is called, for whom, in which requests, and where their body is told to be wrong. */
const places: ReadonlyArray<readonly [at: string, name: string, pointer: string, ...Request]> = [
  ['creating', 'bad', '/1', 'POST', '/artists', three('bad')],
  ['creating', 'bad', '', 'PUT', '/artists/by_name/bad', { email: null, albums: [{ title: 'a' }] }],
  ['creating', 'bad', '/artists/1', 'POST', '/labels', { code: 'NEW', artists: [artist('one'), artist('bad')] }],
  ['creating', 'bad', '/label/artists/0', 'PATCH', '/artists/3', {
    rating: 1, label: { code: 'NEW', artists: [artist('bad')] }
  }],
  ['updating', 'Noisia', '', 'PATCH', '/artists/1', { rating: 1, label: { code: 'NEW' }, albums: [{ title: 'a' }] }],
  ['updating', 'Can', '/artists/1', 'POST', '/labels', { code: 'NEW', artists: [artist('one'), { name: 'Can' }] }],
  ['deleting', '2', '', 'DELETE', '/artists/3'],
  ['setter', 'bad', '/1', 'POST', '/artists', three('bad')],
  ['setter', 'bad', '', 'PATCH', '/artists/1', { label: { code: 'NEW' }, name: 'bad', rating: 1 }],
  ['setter', 'bad', '', 'PUT', '/artists/1/name', 'bad']
]

for (const [what, { error, status, body, pointed }] of Object.entries(faults)) {
  everySource(`${what} that the application throws while it is asked leaves nothing behind`, async ({
    t, opened, send, same
  }) => {
    const before = await contents(opened)
    for (const [at, name, pointer, ...request] of places) {
      for (const cause of Object.values(causes)) {
        Object.assign(trouble, { at, name, cause: cause(error) })
        same(await send(...request), status, { ...body, ...pointed && pointer !== '' && { pointer } })
        t.strictSame(await contents(opened), before, `${at} ${request.join(' ')}`)
      }
    }
    trouble.at = ''
    t.equal((await send('POST', '/artists', three('bad'))).statusCode, 201)
    t.strictNotSame(await contents(opened), before)
  }, { requestStrategies: { upsert: true, delete: true } }, troubled)
}

onEach(everyKind, 'what saved throws is logged, and the write has happened', async ({ t, store, logged, start }) => {
  const told: string[] = []
  const { send } = await start({
    hooks: {
      saved ({ kind, item }) {
        told.push(`${kind} ${item.name}`)
        if (item.name === 'b') return sleep(1).then(() => { throw new Error('later') })
        throw new Error('at once')
      }
    }
  })
  t.equal((await send('POST', '/artists', [artist('a'), artist('b'), artist('c')])).status, 201)
  t.equal((await send('PATCH', '/artists/1', { rating: 1 })).status, 200)
  t.equal((await send('PUT', '/artists/by_name/d', { email: null })).status, 201)
  t.equal((await send('DELETE', '/artists/2')).status, 200)
  t.strictSame(told, ['created a', 'created b', 'created c', 'updated a', 'created d', 'deleted b'])
  t.strictSame(logged.map(line => JSON.parse(line).err.message),
    ['at once', 'later', 'at once', 'at once', 'at once', 'later'])
  t.strictSame((await store.rows('artists')).map(({ name, rating }) => [name, rating]), [['a', 1], ['c', 5], ['d', 5]])
})
