import { connections, open, type Request } from '../helpers/deferring-database.ts'
import { test } from '../helpers/on-postgres.ts'

// docs/http.md: Writing, Errors. What is refused at the commit says why, whatever the hooks of the request did.

const duplicate = {
  status: 'conflict', error: 'duplicate', message: "An item with the same 'name' already exists.", fields: ['name']
}
const reference = (field: string) => ({
  status: 'conflict', error: 'reference', message: `The item referred to by '${field}' does not exist.`, fields: [field]
})
const constraint = { error: 'constraint', message: 'The database does not accept this item.', fields: [] }

/** Every kind of write that leaves the data as the database refuses it at the commit. */
const refused: ReadonlyArray<readonly [...Request, status: number, body: object]> = [
  ['POST', '/kids', { name: 'Ann' }, 409, duplicate],
  ['POST', '/kids', [{ name: 'Cy' }, { name: 'Ann' }], 409, duplicate],
  ['PATCH', '/kids/2', { name: 'Ann' }, 409, duplicate],
  ['PUT', '/kids/2/name', 'Ann', 409, duplicate],
  ['PUT', '/kids/77', { name: 'Ann' }, 409, duplicate],
  ['POST', '/kids', [{ name: 'Cy' }, { name: 'Cy' }], 409, duplicate],
  ['POST', '/kids', { name: 'Cy', parent_id: 99 }, 409, reference('parent_id')],
  ['POST', '/kids', [{ name: 'Cy' }, { name: 'Di', parent_id: 99 }], 409, reference('parent_id')],
  ['PATCH', '/kids/2', { parent_id: 99 }, 409, reference('parent_id')],
  ['PUT', '/kids/2/parent_id', 99, 409, reference('parent_id')],
  ['PUT', '/kids/77', { name: 'Cy', parent_id: 99 }, 409, reference('parent_id')],
  ['DELETE', '/parents/1', undefined, 409, {
    status: 'conflict', error: 'reference', message: 'Other items still refer to this item.', fields: []
  }],
  ['POST', '/kids', { name: 'refused' }, 400, constraint],
  ['POST', '/kids', [{ name: 'Cy' }, { name: 'refused' }], 400, constraint],
  ['PATCH', '/kids/2', { name: 'refused' }, 400, constraint],
  ['PUT', '/kids/77', { name: 'refused' }, 400, constraint],
  ['PATCH', '/parents/2', { kids: [{ name: 'refused' }] }, 400, constraint]
]

for (const through of Object.keys(connections) as ReadonlyArray<keyof typeof connections>) {
  for (const [what, hooks] of [
    ['a single statement', {}], ['a transaction with hooks', { creating () {}, updating () {} }]
  ] as const) {
    test(`what is refused at the commit of ${what} says why, and nothing is written (${through})`, async t => {
      const { send, stored } = await open(t, { hooks, through })
      const before = await stored()
      for (const [method, url, body, status, answer] of refused) {
        const got = await send(method, url, body)
        // Which element of an array is at fault is no longer known at the commit; a lone statement knows its fields and
        // more.
        t.strictSame([got.status, { ...got.body, pointer: undefined }], [status, { ...answer, pointer: undefined }],
          `${method} ${url} ${JSON.stringify(body)}`)
        t.strictSame(await stored(), before, `${method} ${url} ${JSON.stringify(body)}`)
      }
      t.equal((await send('POST', '/kids', { name: 'Cy', parent_id: 1 })).status, 201)
      t.equal((await stored())[1]?.length, 3)
    })
  }
}

test('a link that the commit refuses is refused', async t => {
  const { send, stored, owner } = await open(t)
  await owner.query(`create function unlink() returns trigger language plpgsql as $$
    begin delete from tags where id = new."tagId"; return null; end $$;
    create trigger unlinking after insert on parent_tags for each row execute function unlink()`)
  const before = await stored()
  const { status, body } = await send('PATCH', '/parents/1', { tags: [{ id: 1 }] })
  t.strictSame([status, body.error], [409, 'reference'])
  t.strictSame(await stored(), before)
})

for (const through of Object.keys(connections) as ReadonlyArray<keyof typeof connections>) {
  test(`a hook that catches the failure of its statement goes on, and its earlier work lasts (${through})`, async t => {
    const { send, stored } = await open(t, {
      through,
      hooks: {
        async creating ({ name }, { transaction }) {
          await transaction.query('insert into audit values ($1)', [`creating ${name}`])
          await transaction.query('insert into audit values ($1), ($1)', [String(name)]).catch(() => {})
          await Promise.all([1, 2, 3].map(n =>
            transaction.query('insert into audit values ($1)', [n === 2 ? null : `${name} ${n}`]).catch(() => {})))
        }
      }
    })
    t.strictSame((await send('POST', '/kids', { name: 'Cy' })).status, 201)
    t.strictSame((await send('POST', '/kids', [{ name: 'Di' }, { name: 'Ed' }])).status, 201)
    const [, kids, , , audit] = await stored()
    t.strictSame(kids?.map(({ name }) => name), ['Ann', 'Bo', 'Cy', 'Di', 'Ed'])
    t.strictSame(audit?.map(({ line }) => line), ['Cy', 'Di', 'Ed'].flatMap(name => [`${name} 1`, `${name} 3`]).concat(
      ['Cy', 'Di', 'Ed'].map(name => `creating ${name}`)
    ).sort())
  })
}

test('a hook may not end the transaction of its request', async t => {
  const { send, stored } = await open(t, {
    hooks: { async creating ({ name }, { transaction }) { await transaction.query(String(name)) } }
  })
  const before = await stored()
  for (const statement of [
    'commit', ' ROLLBACK', 'begin', 'end', 'abort', 'start transaction', "prepare transaction 'x'"
  ]) {
    t.equal((await send('POST', '/kids', { name: statement })).status, 500, statement)
  }
  t.strictSame(await stored(), before)
  t.equal((await send('POST', '/kids', { name: 'savepoint mine' })).status, 201)
})

test('a fault that the own statement of a hook meets is answered as one that ours meets', async t => {
  const faults = ['57014', '55P03', '40001', '40P01', '53300', '57P01', '25P04', '08P01', '58030']
  const { send, stored } = await open(t, {
    hooks: {
      async creating ({ name }, { transaction }) {
        await transaction.query(`do $$ begin raise exception using errcode = '${name}', message = 'a fault'; end $$`)
      }
    }
  })
  const before = await stored()
  for (const code of faults) {
    const { status, body, headers } = await send('POST', '/kids', { name: code })
    t.strictSame([status, body.error, headers['retry-after']], [503, 'unavailable', '1'], code)
    t.equal(String(body.message).includes("the limit 'statementTimeout'"), code === '57014', code)
  }
  t.equal((await send('POST', '/kids', { name: '42601' })).status, 500)
  t.strictSame(await stored(), before)
})

test('an error that a hook has from elsewhere is none of the database', async t => {
  const { send, stored } = await open(t, {
    hooks: { creating ({ name }) { throw Object.assign(new Error('another service'), { code: name }) } }
  })
  const before = await stored()
  for (const code of ['ECONNREFUSED', 'ECONNRESET', '57P01']) {
    t.equal((await send('POST', '/kids', { name: code })).status, 500, code)
  }
  t.strictSame(await stored(), before)
})
