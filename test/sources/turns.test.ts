import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { makeTurns } from '../../lib/sources/turns.ts'

// A queue for a database that has one transaction at a time.

test('work is done in the order in which it came, one at a time', async t => {
  const turns = makeTurns(1000)
  const done: string[] = []
  const work = (name: string, time: number) => turns.take(async () => {
    done.push(`${name} begins`)
    await setTimeout(time)
    done.push(`${name} ends`)
    return name
  })
  t.strictSame(await Promise.all([work('a', 5), work('b', 1), turns.pass(() => { done.push('read'); return 'read' }), work('c', 1)]), ['a', 'b', 'read', 'c'])
  t.strictSame(done, ['a begins', 'a ends', 'b begins', 'b ends', 'read', 'c begins', 'c ends'])
})

test('what may pass does so at once while nobody works, and beside whoever does where it can', async t => {
  const turns = makeTurns(1000)
  t.equal(turns.pass(() => 1), 1)
  const working = turns.take(() => setTimeout(5))
  t.equal(turns.pass(() => 1, () => 2), 2)
  await working
  t.equal(turns.pass(() => 1, () => 2), 1)
})

test('work that fails is over, and the next is done', async t => {
  const turns = makeTurns(1000)
  const failing = turns.take(async () => { throw new Error('no') })
  const next = turns.take(() => 'yes')
  await t.rejects(failing, { message: 'no' })
  t.equal(await next, 'yes')
})

test('work inside of work of the same queue would wait for itself, so it is refused; what passes is part of it', async t => {
  const turns = makeTurns(1000)
  const other = makeTurns(1000)
  await t.rejects(turns.take(async () => turns.take(() => 1)), { message: /its context\.transaction instead/ })
  t.equal(await turns.take(async () => turns.pass(() => 1, () => 2)), 1)
  t.equal(await turns.take(async () => other.take(() => 3)), 3)
  let late = async () => 0
  await turns.take(async () => { late = () => turns.take(() => 4) })
  t.equal(await late(), 4)
})

test('whoever waits too long is told so, and the order stays', async t => {
  const turns = makeTurns(20)
  let release = () => {}
  const holding = turns.take(() => new Promise<void>(resolve => { release = resolve }))
  await t.rejects(turns.take(() => 1), { code: 'unavailable' })
  await t.rejects(async () => turns.pass(() => 1), { code: 'unavailable' })
  const next = turns.take(() => 2)
  release()
  await holding
  t.equal(await next, 2)
})
