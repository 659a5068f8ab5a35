import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { makeWriteLock } from '../../lib/sources/write-lock.ts'

// A queue for a database that has one transaction at a time.

test('work is done in the order in which it came, one at a time', async t => {
  const lock = makeWriteLock(1000)
  const done: string[] = []
  const work = (name: string, time: number) => lock.runExclusive(async () => {
    done.push(`${name} begins`)
    await setTimeout(time)
    done.push(`${name} ends`)
    return name
  })
  t.strictSame(await Promise.all([work('a', 5), work('b', 1), lock.runShared(() => { done.push('read'); return 'read' }), work('c', 1)]), ['a', 'b', 'read', 'c'])
  t.strictSame(done, ['a begins', 'a ends', 'b begins', 'b ends', 'read', 'c begins', 'c ends'])
})

test('what may pass does so at once while nobody works, and beside whoever does where it can', async t => {
  const lock = makeWriteLock(1000)
  t.equal(lock.runShared(() => 1), 1)
  const working = lock.runExclusive(() => setTimeout(5))
  t.equal(lock.runShared(() => 1, () => 2), 2)
  await working
  t.equal(lock.runShared(() => 1, () => 2), 1)
})

test('work that fails is over, and the next is done', async t => {
  const lock = makeWriteLock(1000)
  const failing = lock.runExclusive(async () => { throw new Error('no') })
  const next = lock.runExclusive(() => 'yes')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'yes')
})

test('work inside of work of the same queue would wait for itself, so it is refused; what passes is part of it', async t => {
  const lock = makeWriteLock(1000)
  const other = makeWriteLock(1000)
  await t.rejects(lock.runExclusive(async () => lock.runExclusive(() => 1)), { message: /its context\.transaction instead/ })
  t.equal(await lock.runExclusive(async () => lock.runShared(() => 1, () => 2)), 1)
  t.equal(await lock.runExclusive(async () => other.runExclusive(() => 3)), 3)
  let late = async () => 0
  await lock.runExclusive(async () => { late = () => lock.runExclusive(() => 4) })
  t.equal(await late(), 4)
})

test('whoever waits too long is told so, and the order stays', async t => {
  const lock = makeWriteLock(20)
  let release = () => {}
  const holding = lock.runExclusive(() => new Promise<void>(resolve => { release = resolve }))
  await t.rejects(lock.runExclusive(() => 1), { code: 'unavailable' })
  await t.rejects(async () => lock.runShared(() => 1), { code: 'unavailable' })
  const next = lock.runExclusive(() => 2)
  release()
  await holding
  t.equal(await next, 2)
})
