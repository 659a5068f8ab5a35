import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { type Hold, WriteLock } from '../../lib/core/sources/write-lock.ts'

// The lock of a database that has one transaction at a time.

test('work is done in the order in which it came, one at a time', async t => {
  const lock = new WriteLock(60_000)
  const done: string[] = []
  const work = (name: string, time: number) => lock.runExclusive(async () => {
    done.push(`${name} begins`)
    await setTimeout(time)
    done.push(`${name} ends`)
    return name
  })
  const read = () => {
    done.push('read')
    return 'read'
  }
  const all = Promise.all([work('a', 5), work('b', 1), lock.runShared(read), work('c', 1)])
  t.strictSame(await all, ['a', 'b', 'read', 'c'])
  t.strictSame(done, ['a begins', 'a ends', 'b begins', 'b ends', 'read', 'c begins', 'c ends'])
})

test('what may pass does so at once while nobody works, and beside whoever does where it can', async t => {
  const lock = new WriteLock(60_000)
  t.equal(lock.runShared(() => 1), 1)
  const working = lock.runExclusive(() => setTimeout(5))
  t.equal(lock.runShared(() => 1, () => 2), 2)
  await working
  t.equal(lock.runShared(() => 1, () => 2), 1)
})

test('work that fails is over, and the next is done', async t => {
  const lock = new WriteLock(60_000)
  const failing = lock.runExclusive(async () => { throw new Error('no') })
  const next = lock.runExclusive(() => 'yes')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'yes')
})

test('work inside of work of the same lock would wait for itself and is refused; reads are part of it', async t => {
  const lock = new WriteLock(60_000)
  const other = new WriteLock(60_000)
  const inside = lock.runExclusive(async () => lock.runExclusive(() => 1))
  await t.rejects(inside, { message: /its context\.transaction instead/ })
  t.equal(await lock.runExclusive(async () => lock.runShared(() => 1, () => 2)), 1)
  t.equal(await lock.runExclusive(async () => other.runExclusive(() => 3)), 3)
  let late = async () => 0
  await lock.runExclusive(async () => { late = () => lock.runExclusive(() => 4) })
  t.equal(await late(), 4)
})

test('whoever waits too long is refused with the culprit as the cause, and the order stays', async t => {
  const lock = new WriteLock(20)
  let release = () => {}
  const holding = lock.runExclusive(hold => {
    hold.holder = () => 'it is held by a test'
    return new Promise<void>(resolve => { release = resolve })
  })
  const message = /^waited \d+ ms for the write lock: it is held by a test$/
  const refusals = [lock.runExclusive(() => 1), lock.runShared(() => 1), lock.runShort(() => 1)]
  await Promise.all(refusals.map(one => t.rejects(Promise.resolve(one), { code: 'unavailable', cause: { message } })))
  const next = Promise.all([lock.runExclusive(() => 2), lock.runShort(() => 3)])
  release()
  await holding
  t.strictSame(await next, [2, 3])
})

test('what is left of the time goes to the work', async t => {
  const lock = new WriteLock(60_000)
  const patience = ({ remaining: patience }: Hold) => patience
  t.equal(await lock.runShort(patience), 60_000)
  const holding = lock.runExclusive(() => setTimeout(30))
  const left = await lock.runExclusive(patience)
  t.ok(left > 0 && left < 59_990)
  await holding
})

test('short work that is done at once leaves the lock free, and other work holds it until it ends', async t => {
  const lock = new WriteLock(60_000)
  t.equal(lock.runShort(() => 1), 1)
  const working = lock.runShort(() => setTimeout(5, 2))
  t.equal(lock.runShared(() => 'free', () => 'held'), 'held')
  t.equal(await working, 2)
  await t.rejects(async () => lock.runShort(async () => { throw new Error('no') }), { message: 'no' })
  t.equal(lock.runShared(() => 'free', () => 'held'), 'free')
})

test('work that waited runs in the asynchronous context of whoever sent it', async t => {
  const lock = new WriteLock(60_000)
  const request = new AsyncLocalStorage<string>()
  const send = (name: string) => request.run(name, () => lock.runExclusive(async () => {
    await setTimeout(1)
    return request.getStore()
  }))
  t.strictSame(await Promise.all([send('a'), send('b'), send('c')]), ['a', 'b', 'c'])
})

test('what work leaves behind is no longer inside of it, also while other work holds the lock', async t => {
  const lock = new WriteLock(60_000)
  let end = () => {}
  const over = new Promise<void>(resolve => { end = resolve })
  let late: Promise<string> | undefined
  await lock.runExclusive(() => { late = over.then(() => lock.runExclusive(() => 'done')) })
  const other = lock.runExclusive(() => setTimeout(5))
  end()
  t.equal(await late, 'done')
  await other
})
