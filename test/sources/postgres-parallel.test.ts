import type { WriteContext } from '../../lib/index.ts'
import { test } from '../helpers/on-postgres.ts'
import { openPosts, ways } from '../helpers/parallel-posts.ts'

// docs/own-code.md: Transactions. Two clients share the connections: the hooks of posts send statements in parallel,
// and orders are the writes of somebody else.

const settings = ways.flatMap(through => [1, 2, 10].map(max => ({ through, max })))

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

for (const { through, max } of settings) {
  for (const [what, { hook, status }] of Object.entries(refusals)) {
    test(`a hook that sends ${what}, is rolled back as a whole, beside another client (${through}, max ${max})`,
      async t => {
        const { post, order, stored } = await openPosts(t, { through, max, creating: hook })
        const answers: number[] = []
        for (let round = 0; round < 3; round++) {
          answers.push(...await Promise.all([
            post('refused'), order(`${round} a`), post('refused'), order(`${round} b`), order(`${round} c`)
          ]))
        }
        t.strictSame(answers, Array(3).fill([status, 201, status, 201, 201]).flat())
        const { posts, tags, orders } = await stored()
        t.strictSame([posts, tags], [[], ['same']])
        t.strictSame(orders, [0, 1, 2].flatMap(round => ['a', 'b', 'c'].map(one => `${round} ${one}`)))
      })
  }

  test(`a transaction whose time is up writes nothing, whatever waits in it (${through}, max ${max})`, async t => {
    const { post, order, stored } = await openPosts(t, {
      through,
      max,
      transactionTimeout: 100,
      creating: context => Promise.all(Array.from({ length: 800 }, (_, n) => tag(context, `tag ${n}`)))
    })
    t.strictSame(await Promise.all([post('a'), post('b')]), [503, 503])
    const answers = await Promise.all([post('c'), ...Array.from({ length: 20 }, (_, n) => order(`order ${n}`))])
    const { posts, tags, orders } = await stored()
    t.strictSame([answers[0], posts, tags], [503, [], ['same']])
    const acknowledged = answers.slice(1).flatMap((status, n) => status === 201 ? [`order ${n}`] : [])
    t.strictSame(orders, acknowledged.sort())
    t.strictSame(answers.filter(status => status !== 201 && status !== 503), [])
  })

  test(`calls of own code in parallel, of which one fails, write nothing (${through}, max ${max})`, async t => {
    const { app, stored } = await openPosts(t, { through, max })
    for (let round = 0; round < 5; round++) {
      await t.rejects(app.dataApi.transaction(tx => Promise.all(
        ['a', 'a', 'b', 'c'].map(name => tx.asSystem().collection('tags').create({ name }))
      )), { code: 'duplicate' })
    }
    t.strictSame((await stored()).tags, ['same'])
  })

  test(`statements that nobody awaits are part of their transaction (${through}, max ${max})`, async t => {
    const { post, stored } = await openPosts(t, {
      through,
      max,
      async creating (context) { for (const name of ['a', 'b', 'c']) insert(context, name).catch(() => {}) }
    })
    t.strictSame(await Promise.all([post('a'), post('b')]).then(answers => answers.sort()), [201, 201])
    t.strictSame((await stored()).tags, ['a', 'b', 'c', 'same'])
  })
}

for (const through of ways) {
  test(`a hook that catches the failure of a call dooms its transaction with the error of the call (${through})`,
    async t => {
      const { post, stored } = await openPosts(t, {
        through, max: 1, async creating (context) { await tag(context, 'same').catch(() => {}) }
      })
      t.equal(await post('refused'), 409)
      t.strictSame(await stored(), { posts: [], orders: [], tags: ['same'] })
    })
}

for (const through of ways) {
  test(`a transaction that a failed read has aborted is not acknowledged (${through})`, async t => {
    const { app, stored } = await openPosts(t, { through, max: 1 })
    await t.rejects(app.dataApi.transaction(async tx => {
      await tx.asSystem().collection('tags').create({ name: 'a' })
      await tx.asSystem().collection('broken').list().catch(() => {})
    }))
    t.strictSame((await stored()).tags, ['same'])
  })
}

for (const through of ways) {
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
