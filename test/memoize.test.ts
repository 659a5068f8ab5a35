import { test } from 'tap'
import { memoize, memoizeRecent } from '../lib/core/scheduling/memoize.ts'

test('what is made of an object is made once, and of another anew', async t => {
  let made = 0
  const numbered = memoize((_of: object) => ({ number: ++made }))
  const [one, other] = [{}, {}]
  t.equal(numbered(one), numbered(one))
  t.not(numbered(one), numbered(other))
  t.equal(made, 2)
})

test('what is made of a text is kept for the most recent texts, and never for long ones', async t => {
  const made: string[] = []
  const kept = memoizeRecent(text => { made.push(text); return { text } }, { most: 2, longest: 3 })
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b', 'long', 'long']) t.strictSame(kept(text), { text })
  t.strictSame(made, ['a', 'b', 'c', 'b', 'long', 'long'])
})

test('what is made of texts is kept for so many characters, whatever their number', async t => {
  const made: string[] = []
  const kept = memoizeRecent(text => { made.push(text); return { text } }, { most: 9, characters: 6 })
  for (const text of ['aaa', 'b', 'cc', 'aaa', 'dd', 'aaa', 'b', 'cc', 'eeeeeee', 'aaa']) kept(text)
  t.strictSame(made, ['aaa', 'b', 'cc', 'dd', 'b', 'cc', 'eeeeeee', 'aaa'])
})

test('what could not be made is tried again', async t => {
  let tries = 0
  const failing = memoizeRecent(() => { throw new Error(String(++tries)) }, { most: 2 })
  t.throws(() => failing('a'), { message: '1' })
  t.throws(() => failing('a'), { message: '2' })
})
