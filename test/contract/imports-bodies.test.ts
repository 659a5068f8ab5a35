import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Test, test } from 'tap'
import dataApi, { collection, type DataApiOptions, memory } from '../../lib/index.ts'
import { Receiver } from '../../lib/core/request/receive.ts'
import Fastify from '../helpers/fastify.ts'
import { setVariable } from '../helpers/set-variable.ts'
import { logged as capture, startRequest, until } from '../helpers/slow-bodies.ts'
import { Note } from '../fixtures/things.ts'

// docs/http.md: Imports. Where the bytes of a body are, how many there may be, and how long they may take.

const line = (text: string) => `${JSON.stringify({ text })}\n`
// More than a mebibyte.
const long = line('x'.repeat(10_000)).repeat(110)

type Hooks = Parameters<typeof collection<typeof Note>>[1]['hooks']

async function serve (imports: DataApiOptions['imports'], hooks: Hooks = {}) {
  const lines: object[] = []
  const app = Fastify({ logger: { level: 'error', stream: capture(lines) } })
  await app.register(dataApi, {
    ...imports && { imports }, collections: { notes: collection(Note, { source: memory([]), hooks: hooks ?? {} }) }
  })
  const send = async (payload: string) => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const { statusCode, body, headers: { 'retry-after': wait } } =
      await app.inject({ method: 'POST', url: '/notes', payload, headers })
    return { statusCode, wait, ...JSON.parse(body) as { error?: string, message?: string, count?: number } }
  }
  const count = async () => (await app.inject('/notes?fields=count()')).body
  return { app, lines, send, count }
}

/** Makes the folder for temporary files of a test. */
function inFolder (t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'bodies-'))
  setVariable(t, 'TMPDIR', folder)
  t.teardown(() => { rmSync(folder, { recursive: true }) })
  return folder
}

test('no folder for temporary files is 500, and its log line has the cause', async t => {
  const folder = inFolder(t)
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  for (const [place, code] of [[join(folder, 'none'), 'ENOENT'], [file, 'ENOTDIR']] as const) {
    process.env['TMPDIR'] = place
    const { lines, send, count } = await serve(true)
    t.match(await send(long), { statusCode: 500, error: 'internal' })
    t.match(lines, [{ err: { code }, collection: 'notes', kind: 'import' }])
    t.equal(await count(), '[{"count":0}]')
    t.match(await send(line('short')), { statusCode: 201, count: 1 })
  }
})

test('no room for a temporary file is 503, another fault of the disk 500', async t => {
  inFolder(t)
  const handle = await open('/dev/null')
  const methods = Object.getPrototypeOf(handle) as Pick<FileHandle, 'appendFile'>
  await handle.close()
  const { appendFile } = methods
  t.teardown(() => { methods.appendFile = appendFile })
  for (const [code, status, error] of [
    ['ENOSPC', 503, 'unavailable'], ['EDQUOT', 503, 'unavailable'], ['EIO', 500, 'internal']
  ] as const) {
    const { lines, send } = await serve(true)
    methods.appendFile = async () => { throw Object.assign(new Error('the disk'), { code }) }
    t.match(await send(long), { statusCode: status, error, wait: status === 503 ? '1' : undefined })
    t.match(lines, [{ err: { code } }])
    methods.appendFile = appendFile
    t.match(await send(long), { statusCode: 201, count: 110 })
  }
})

test('a temporary file has no name while it is read', async t => {
  const folder = inFolder(t)
  const seen: string[][] = []
  const { send } = await serve(true, { creating: () => { seen.push(readdirSync(folder)) } })
  t.match(await send(long), { statusCode: 201, count: 110 })
  t.equal(seen.length, 110)
  t.strictSame(seen.flat(), [])
})

test('the start removes the files of processes that have ended, and no others', async t => {
  const folder = inFolder(t)
  const { pid } = spawnSync('true')
  const names = [`fastify-data-api-${process.ppid}-1`, `fastify-data-api-${process.pid}-1`, `other-${pid}-1`]
  for (const name of [...names, `fastify-data-api-${pid}-1`]) writeFileSync(join(folder, name), '')
  const without = Fastify()
  await without.register(dataApi, { collections: { notes: collection(Note, { source: memory([]) }) } })
  await without.ready()
  t.equal(readdirSync(folder).length, 4)
  const { app } = await serve(true)
  await app.ready()
  t.strictSame(readdirSync(folder).sort(), names.sort())
})

test('the bytes of a body come in few pieces, however they were sent', async t => {
  inFolder(t)
  const receiver = new Receiver({ bytes: 2 ** 22, rows: 1, total: 2 ** 22, idle: 10_000, time: 60_000 })
  for (const [length, size, most] of [[5000, 1, 1], [2 ** 20, 2 ** 16, 1], [3_000_000, 1000, 50]] as const) {
    const whole = Buffer.from(Array.from({ length }, (_, at) => at % 251))
    const starts = Array.from({ length: Math.ceil(length / size) }, (_, at) => at * size)
    const pieces = starts.map(start => whole.subarray(start, start + size))
    const received = await receiver.receive(Readable.from(pieces))
    for (const time of ['first', 'second']) {
      const chunks: Buffer[] = []
      for await (const chunk of received.chunks()) chunks.push(chunk)
      t.ok(Buffer.concat(chunks).equals(whole), `read for the ${time} time`)
      t.ok(chunks.length <= most, `${chunks.length} chunks`)
    }
    await received.discard()
  }
})

test('the bytes of all imports at once have a limit, beyond which one is 503', async t => {
  let go = () => {}
  const gone = new Promise<void>(resolve => { go = resolve })
  const { app, lines, send } = await serve({ bytes: 1000, total: 1500 }, {
    creating: ({ text }) => text?.startsWith('x') === true ? gone : undefined
  })
  await app.listen({ port: 0 })
  t.teardown(() => app.close())
  const begin = () => {
    const one = startRequest(app, 'POST /notes', 'application/x-ndjson')
    one.write(line(`x${'y'.repeat(800)}`))
    return one
  }
  let first = begin()
  const refused = { statusCode: 503, wait: '1', error: 'unavailable', message: /Nothing was written/ }
  const second = line('y'.repeat(800))
  await until(async () => {
    if ((await send(second)).statusCode === 503) return true
    // Where the second one came before it, the first is refused, and begins again.
    const soon = new Promise<boolean>(resolve => { setImmediate(resolve, false) })
    if (await Promise.race([first.answer.then(() => true, () => true), soon])) first = begin()
    return false
  })
  t.match(lines.at(-1), { err: { message: /1500 bytes, the limit 'imports.total'/ } })
  first.end()
  // The bytes count until all is written.
  t.match(await send(second), refused)
  go()
  t.match(await first.answer, { statusCode: 201, count: 1 })
  t.match(await send(second), { statusCode: 201, count: 1 })
  t.match(await send(line('z'.repeat(1000))), { statusCode: 413 })
  t.match(await send(second), { statusCode: 201, count: 1 })
})

test('a body that takes longer than imports.time is 408, though bytes come', async t => {
  const { app, count } = await serve({ idle: 10_000, time: 300 })
  await app.listen({ port: 0 })
  t.teardown(() => app.close())
  const slow = startRequest(app, 'POST /notes', 'application/x-ndjson')
  const dripping = setInterval(() => { slow.write(line('x')) }, 20)
  t.match(await slow.answer, {
    statusCode: 408,
    error: 'request_timeout',
    message: "The body took longer than the limit 'imports.time' of 300 ms. Nothing was written."
  })
  clearInterval(dripping)
  t.equal(await count(), '[{"count":0}]')
})

test('imports.total is at least imports.bytes', async t => {
  await t.rejects(serve({ total: 10, bytes: 11 }),
    { message: "option 'imports.total': must be at least 'imports.bytes', 11; found 10" })
  await t.rejects(serve({ time: 0 }), { message: /option 'imports.*time'/ })
  for (const imports of [{ bytes: 2 ** 40 }, { total: 10 }, { total: 10, bytes: 10 }]) await serve(imports)
  const { send } = await serve({ total: 10 })
  t.match(await send(line('x')), { statusCode: 413, message: 'The body has more than 10 bytes.' })
})
