import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type StatementEvent, statementChannelName } from '../../lib/core/sources/statement-events.ts'
import { mayNot } from '../fixtures/company.ts'
import { tables, world } from '../fixtures/notes.ts'
import { everySource, type Tools } from '../helpers/every-source.ts'
import { created, ok, validation } from '../helpers/answers.ts'

// docs/http.md: Rules

const law = (name: string, run: (tools: Tools) => Promise<void>) => {
  everySource(name, run, { requestStrategies: { upsert: true, delete: true } }, world)
}

type Ask = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: unknown]

async function everything ({ opened }: Tools): Promise<unknown> {
  return Promise.all(Object.keys(tables).map(table => opened.rows(table)))
}

/** Asserts that every way is 403, and that nothing is written. */
async function refused (tools: Tools, ways: readonly Ask[], headers: Record<string, string>) {
  const { t, send } = tools
  const before = await everything(tools)
  for (const [method, url, body] of ways) {
    const response = await send(method, url, body, headers)
    const told = `${method} ${url} ${JSON.stringify(body)} ${JSON.stringify(headers)}: ${response.body}`
    t.equal(response.statusCode, 403, told)
    t.strictSame(await everything(tools), before, told)
  }
}

law('the setter of a foreign key is called by every way of writing it, and its error points to the element', async ({
  send, same
}) => {
  const locked = { error: 'argument', message: 'The safe is locked.' }
  const headers = { deny: 'setter' }
  same(await send('POST', '/safes/5/notes', { text: 'new' }, headers), 400, locked)
  same(await send('PATCH', '/notes/3', { safe: { id: 5 } }, headers), 400, locked)
  same(await send('PATCH', '/safes/5', { notes: [{ id: 3 }] }, headers), 400, { ...locked, pointer: '/notes/0' })
  // A note that lies there already stays there.
  same(await send('PATCH', '/safes/6', { notes: [{ id: 1 }] }, headers), 200, ok)
})

law('a link in a join table asks `update` of both items', async tools => {
  const { send, t, get } = tools
  await refused(tools, [
    ['PATCH', '/notes/1', { tags: [{ id: 1 }] }], ['POST', '/tags/1/notes', { text: 'new' }],
    ['POST', '/notes', { text: 'new', tags: [{ id: 1 }] }]
  ], { deny: 'tags.update' })
  await refused(tools, [
    ['PATCH', '/tags/1', { notes: [{ id: 1 }] }], ['POST', '/notes/1/tags', { word: 'new' }]
  ], { deny: 'notes.update' })
  t.equal((await send('POST', '/notes', { text: 'new', tags: [{ word: 'new' }] },
    { deny: 'tags.update notes.update' })).statusCode, 201)
  t.equal((await send('PATCH', '/notes/2', { tags: [{ id: 1, word: 'open' }] }, { deny: 'tags.update' })).statusCode,
    200)
  const { headers } = await get('/notes/1/tags', { deny: 'notes.tags' })
  t.ok(headers['etag'])
})

law('a link by a foreign key asks the rules of the item that holds it, and never `update` of the parent', async ({
  send, request, same, t
}) => {
  for (const [deny, more] of [
    ['safes.update', ', POST, PUT, PATCH'], ['notes.create', ', POST, PUT, PATCH'],
    ['notes.update', ', POST, PUT, PATCH'], ['notes.create notes.update', ''], ['notes.safeId', ', PATCH']
  ] as const) {
    const { headers } = await request({ method: 'OPTIONS', url: '/safes/5/notes', headers: { deny } })
    t.equal(headers['allow'], `GET, HEAD, OPTIONS, QUERY${more}`, deny)
  }
  const parent = { deny: 'safes.update' }
  same(await send('POST', '/safes/5/notes', { text: 'new' }, parent), 201, created(4))
  same(await send('POST', '/safes/5/notes', { id: 3 }, parent), 200, ok)
  same(await send('PUT', '/safes/5/notes', [{ id: 3 }], parent), 200, ok)
  same(await send('DELETE', '/safes/5/notes/3', undefined, parent), 200, ok)
  same(await send('PATCH', '/safes/5', { notes: [{ id: 3 }] }, parent), 403, mayNot('update', 'safes'))
  same(await send('POST', '/safes', { notes: [{ id: 3 }] }, parent), 201, created(7))
  const element = { deny: 'notes.update' }
  same(await send('POST', '/safes/5/notes', { id: 3 }, element), 403, mayNot('update', 'notes'))
  same(await send('PUT', '/safes/7/notes', [], element), 403, mayNot('update', 'notes'))
  same(await send('DELETE', '/safes/7/notes/3', undefined, element), 403, mayNot('update', 'notes'))
  same(await send('PATCH', '/safes/5', { notes: [{ id: 3 }] }, element), 403, mayNot('update', 'notes'))
  same(await send('PATCH', '/safes/7', { notes: [{ id: 3 }] }, element), 200, ok)
  same(await send('POST', '/safes/5/notes', { text: 'new' }, element), 201, created(5))
})

law('a body at the URL of an item is an update of it, whatever it holds', async ({ send, same }) => {
  for (const body of [{}, { id: 5 }, { email: 'ann@x' }, { notes: [] }, { notes: [{ text: 'new' }] }]) {
    same(await send('PATCH', '/safes/5', body, { deny: 'safes.update' }), 403, mayNot('update', 'safes'))
  }
  same(await send('PUT', '/notes/1/tags/9', { word: 'x' }, { deny: 'tags.update tags.create' }), 403,
    mayNot('update', 'tags'))
})

law('an item that a link takes out of the scope is 403, at both of its ends, and nothing is written', async tools => {
  await refused(tools, [
    ['PATCH', '/notes/1', { text: 'changed', tags: [{ id: 2 }] }], ['POST', '/tags/2/notes', { text: 'new' }]
  ], { scope: 'no secret tags' })
  await refused(tools, [['POST', '/parts', { kind: 'secret', note: { id: 1 } }]], { scope: 'no secret parts' })
  await refused(tools, [
    ['PATCH', '/parts/3', { note: { id: 1 } }], ['PATCH', '/parts/3', { note: null }], ['DELETE', '/parts/3']
  ], { scope: 'open parts' })
  await refused(tools, [['DELETE', '/tags/1']], { scope: 'open tags' })
})

law('an item whose links bring it into the scope can be created', async ({ send, same, t, get }) => {
  same(await send('POST', '/notes', { text: 'new', tags: [{ id: 1 }] }, { scope: 'open tags' }), 201,
    created(4))
  same(await send('POST', '/notes', { text: 'new', parts: [{ kind: 'open' }] }, { scope: 'open parts' }), 201,
    created(5))
  const shown = await send('POST', '/notes?fields=text,parts(kind)', { text: 'shown', parts: [{ kind: 'open' }] },
    { scope: 'open parts', prefer: 'return=representation' })
  same(shown, 201, { text: 'shown', parts: [{ kind: 'open' }] })
  t.equal((await get('/notes/4', { scope: 'open tags' })).statusCode, 200)
  t.equal((await send('POST', '/notes', { text: 'new' }, { scope: 'open tags' })).statusCode, 403)
})

law('a reference to a collection that may not be read is as dangling as one to a missing item', async ({ send, t }) => {
  const ask = async (id: number) => {
    const { statusCode, body } = await send('POST', '/notes', { text: 'new', safe_id: id }, { deny: 'safes.read' })
    return [statusCode, body]
  }
  t.strictSame(await ask(5), await ask(99))
  t.equal((await ask(5))[0], 409)
  t.equal((await send('PATCH', '/notes/1', { safe_id: 6, text: 'sent back' }, { deny: 'safes.read' })).statusCode, 200)
})

law('a group that contradicts the parent in the path takes no item', async ({ send, same, get }) => {
  const contradiction = validation(['', 'contradicts the URL'])
  same(await send('POST', '/safes/5/notes/by_safe_id/6', { text: 'new' }), 400, contradiction)
  same(await send('POST', '/safes/5/notes/by_safe_id/6', { text: 'new', safe: { id: 6 } }), 400, contradiction)
  same(await send('POST', '/safes/5/notes/by_safe_id/5', { text: 'new' }), 201, created(4))
  same(await get('/safes/5/notes/by_safe_id/5?fields=id'), 200, [{ id: 4 }])
})

law('nested writes that name the same items in different orders do not wait for each other', async ({
  send, get, t
}) => {
  const tags = [{ id: 1 }, { id: 2 }]
  const parts = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const deadlocks: unknown[] = []
  const note = (event: unknown) => {
    const { error } = event as StatementEvent
    if (error instanceof Error && error.message.includes('deadlock')) deadlocks.push(error)
  }
  subscribe(statementChannelName, note)
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => {
    const body = index % 2 === 0 ? { parts, tags } : { tags: tags.toReversed(), parts: parts.toReversed() }
    return send('PATCH', `/notes/${index % 3 + 1}`, body)
  }))
  t.strictSame(answers.map(({ statusCode }) => statusCode), answers.map(() => 200))
  unsubscribe(statementChannelName, note)
  // Deadlocks are repeated with success, so that the answers do not tell of them.
  t.strictSame(deadlocks, [])
  const owners = new Set(
    (await get('/parts?fields=note(id)')).json<Array<{ note: { id: number } }>>().map(({ note }) => note.id)
  )
  t.equal(owners.size, 1)
})
