import { deepStrictEqual } from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Data, Transaction } from '../../lib/index.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'
import { test } from '../helpers/on-postgres.ts'
import { openPosts, ways } from '../helpers/parallel-posts.ts'

// docs/own-code.md: Transactions. Programs of calls in one transaction run beside the writes of another client.

/** A call in a transaction. Returns the names of tags that it has written, once it is over. */
type Call = (name: string, access: Access) => Promise<readonly string[]>

interface Access { readonly data: Pick<Data, 'asSystem'>, readonly transaction?: Transaction }

const tags = ({ data }: Access) => data.asSystem().collection('tags')
const insert = 'insert into tags (name) select unnest($1::text[])'

const calls = {
  create: (name, access) => tags(access).create({ name }).then(() => [name]),
  async 'create two' (name, access) {
    const created = await tags(access).create([{ name }, { name: `${name} b` }])
    return created.map(one => String(one['name']))
  },
  'create a duplicate': (name, access) => tags(access).create([{ name }, { name: 'same' }]).then(() => []),
  async 'create and delete' (name, access) {
    const { id } = await tags(access).create({ name })
    return tags(access).delete(Number(id)).then(() => [], () => [name])
  },
  list: (name, access) => tags(access).list({ where: { name } }).then(() => []),
  wait: () => setTimeout(5, []),
  throw: () => Promise.reject(new TypeError('no')),
  insert: async (name, { transaction }) => transaction?.query(insert, [[name]]).then(() => [name]) ?? [],
  'insert a duplicate': async (name, { transaction }) =>
    transaction?.query(insert, [[name, 'same']]).then(() => []) ?? [],
  'divide by zero': async (_name, { transaction }) => transaction?.query('select 1/0').then(() => []) ?? []
} satisfies Readonly<Record<string, Call>>

/** Calls that begin at once, and how their program awaits them. */
const step = fc.record({
  begins: fc.array(fc.constantFrom(...Object.values(calls)), { minLength: 1, maxLength: 5 }),
  awaiting: fc.constantFrom('all', 'settled', 'nobody')
})

interface Step { readonly begins: readonly Call[], readonly awaiting: string }

const program = fc.record({
  by: fc.constantFrom('hook', 'own code'), steps: fc.array(step, { minLength: 1, maxLength: 4 })
})

/** The names that the calls of a program have written, and the promises of all its calls. */
interface Outcome { readonly written: Set<string>, readonly begun: Array<Promise<unknown>> }

async function run (name: string, steps: readonly Step[], access: Access, { written, begun }: Outcome): Promise<void> {
  for (const [place, step] of steps.entries()) {
    const running = step.begins.map(async (call, index) => {
      for (const one of await call(`${name} ${place}.${index}`, access)) written.add(one)
    })
    const settled = Promise.allSettled(running)
    begun.push(settled)
    if (step.awaiting === 'all') await Promise.all(running)
    if (step.awaiting === 'settled') await settled
  }
}

for (const through of ways) {
  for (const max of [1, 2, 10]) {
    for (const transactionTimeout of [0, 40]) {
      const setting = `${through}, max ${max}, ${transactionTimeout === 0 ? 'without' : 'with'} a limit of time`
      test(`a transaction writes all that it acknowledges, and nothing if it is refused (${setting})`, async t => {
        const hooks = new Map<string, (access: Access) => Promise<void>>()
        const { app, post, order, stored } = await openPosts(t, {
          through, max, transactionTimeout, creating: (context, name) => hooks.get(name)?.(context)
        })
        let count = 0
        const runProgram = async ({ by, steps }: { readonly by: string, readonly steps: readonly Step[] }) => {
          const name = `program ${count++}`
          let outcome: Outcome = { written: new Set(), begun: [] }
          const work = (access: Access) => {
            // A transaction that conflicts with another one begins again.
            outcome = { written: new Set(), begun: [] }
            return run(name, steps, access, outcome)
          }
          hooks.set(name, work)
          const inOwnCode = () => app.dataApi.transaction(data => work({ data }))
            .then(() => 201, (error: { readonly statusCode?: number }) => error.statusCode ?? 500)
          const status = await (by === 'hook' ? post(name) : inOwnCode())
          await Promise.all(outcome.begun)
          return { by, name, status, written: [...outcome.written] }
        }
        const placeOrder = async () => {
          const name = `order ${count++}`
          return { name, status: await order(name) }
        }

        await fc.assert(fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 3 }), async drawn => {
          const [ended, orders] = await Promise.all([
            Promise.all(drawn.map(runProgram)), Promise.all(Array.from({ length: 6 }, placeOrder))
          ])
          const found = await stored()
          for (const { by, name, status, written } of ended) {
            const isDone = status === 201
            same(found.tags.filter(tag => tag.startsWith(`${name} `)), isDone ? written.sort() : [], name)
            if (by === 'hook') same(found.posts.includes(name), isDone, name)
          }
          for (const { name, status } of orders) {
            same(found.orders.includes(name), status === 201, name)
            same([201, transactionTimeout > 0 ? 503 : 201].includes(status), true, `${name}: ${status}`)
          }
        }), { numRuns: runsOf(20) })
      })
    }
  }
}

const same = (got: unknown, wanted: unknown, what: string) => { deepStrictEqual({ what, got }, { what, got: wanted }) }
