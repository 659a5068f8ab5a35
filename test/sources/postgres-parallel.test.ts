import type { WriteContext } from '../../lib/index.ts'
import { test } from '../helpers/on-postgres.ts'
import { openPosts, ways } from '../helpers/parallel-posts.ts'

// docs/own-code.md: Transactions. Two clients share the connections: the hooks of posts send statements in parallel,
// and orders are the writes of somebody else. postgres-programs.test.ts draws what the hooks do.

type Hook = (context: WriteContext) => Promise<unknown>

const tag = ({ data }: WriteContext, name: string) => data.asSystem().collection('tags').create({ name })
const insert = ({ transaction }: WriteContext, name: string) =>
  transaction.query('insert into tags (name) values ($1)', [name])

const refusals: Readonly<Record<string, { readonly hook: Hook, readonly status: number }>> = {
  'creates, of which one is a duplicate': {
    hook: context => Promise.all(['same', 'b', 'c', 'd'].map(name => tag(context, name))), status: 409
  },
  'statements, of which one fails': {
    hook: context => Promise.all([
      context.transaction.query('select 1/0'), insert(context, 'b'), insert(context, 'c'), insert(context, 'd')
    ]),
    status: 500
  },
  'reads and creates, beside which it throws': {
    hook: context => Promise.all([
      Promise.reject(new TypeError('no')), tag(context, 'b'), tag(context, 'c'),
      context.data.asSystem().collection('tags').list(), tag(context, 'd')
    ]),
    status: 500
  },
  'creates that nobody awaits, and then throws': {
    async hook (context) {
      for (const name of ['b', 'c', 'd']) tag(context, name).catch(() => {})
      throw new TypeError('no')
    },
    status: 500
  }
}

for (const through of ways) {
  for (const [what, { hook, status }] of Object.entries(refusals)) {
    test(`a hook that sends ${what}, is rolled back as a whole, beside another client (${through})`, async t => {
      for (const max of [1, 2, 10]) {
        const { post, order, stored } = await openPosts(t, { through, max, creating: hook })
        const answers = await Promise.all([post('refused'), order('a'), post('refused'), order('b'), order('c')])
        t.strictSame(answers, [status, 201, status, 201, 201])
        t.strictSame(await stored(), { posts: [], orders: ['a', 'b', 'c'], tags: ['same'] })
      }
    })
  }

  test(`a hook that catches the failure of a call dooms its transaction with the error of the call (${through})`,
    async t => {
      const { post, stored } = await openPosts(t, {
        through, max: 1, async creating (context) { await tag(context, 'same').catch(() => {}) }
      })
      t.equal(await post('refused'), 409)
      t.strictSame(await stored(), { posts: [], orders: [], tags: ['same'] })
    })

  test(`a transaction that a failed read has aborted is not acknowledged (${through})`, async t => {
    const { app, stored } = await openPosts(t, { through, max: 1 })
    await t.rejects(app.dataApi.transaction(async tx => {
      await tx.asSystem().collection('tags').create({ name: 'a' })
      await tx.asSystem().collection('broken').list().catch(() => {})
    }))
    t.strictSame((await stored()).tags, ['same'])
  })

  test(`hooks that read by app.dataApi read in their transaction, as many as come at once (${through})`, async t => {
    const { app, post } = await openPosts(t, {
      through,
      max: 2,
      async creating (context, name) {
        await tag(context, name)
        const own = await app.dataApi.asSystem().collection('tags').count({ name })
        if (own !== 1) throw new TypeError('it does not see its own change')
      }
    })
    const names = Array.from({ length: 8 }, (_, n) => `post ${n}`)
    t.strictSame(await Promise.all(names.map(post)), names.map(() => 201))
  })

  test(`hooks that write by app.dataApi fail at once, and hold up nobody else (${through})`, async t => {
    const { app, post, order, stored } = await openPosts(t, {
      through, max: 2, creating: (_context, name) => app.dataApi.asSystem().collection('tags').create({ name })
    })
    const names = Array.from({ length: 8 }, (_, n) => `name ${n}`)
    const answers = await Promise.all([...names.map(post), ...names.map(order)])
    t.strictSame(answers, [...names.map(() => 500), ...names.map(() => 201)])
    t.strictSame(await stored(), { posts: [], orders: names, tags: ['same'] })
  })
}

test('work that outlives its hook may read and write by app.dataApi', async t => {
  let late: Promise<unknown> | undefined
  let go = () => {}
  const going = new Promise<void>(resolve => { go = resolve })
  const { app, post, stored } = await openPosts(t, {
    through: 'postgres',
    max: 1,
    creating () { late = going.then(() => app.dataApi.asSystem().collection('tags').create({ name: 'late' })) }
  })
  t.equal(await post('a'), 201)
  go()
  await late
  t.strictSame((await stored()).tags, ['late', 'same'])
})
