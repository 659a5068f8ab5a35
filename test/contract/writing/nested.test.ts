import { Type } from '@sinclair/typebox'
import { collection, SubItem } from '../../../lib/index.ts'
import { contents } from '../../fixtures/shop.ts'
import { everySource } from '../../helpers/every-source.ts'
import { upsert, writes } from '../../helpers/shop-writes.ts'
import { created, dangling, duplicate, ok, reference, validation } from '../../helpers/answers.ts'

// docs/http.md: Writing

writes('a sub-item in a body sets the reference, by an object that holds an identifier or by null', async ({
  get, send, same
}) => {
  same(await send('PATCH', '/artists/1', { label: { id: 2 } }), 200, ok)
  same(await get('/artists/1/label/code'), 200, 'SPOON')
  same(await send('PATCH', '/artists/1', { label: { code: 'VSN' } }), 200, ok)
  same(await get('/artists/1/label/id'), 200, 1)
  same(await send('PATCH', '/artists/1', { label: null }), 200, ok)
  same(await get('/artists/1/label'), 200, null)
  same(await send('PATCH', '/albums/7', { artist: null }), 400,
    validation(['/artist', 'must be an object; found null']))
  same(await send('PATCH', '/albums/7', { artist: 2 }), 400,
    validation(['/artist', 'must be an object such as {"id":2}; found the number 2']))
})

writes('an element that is linked is not changed: what else is said of it must be so', async ({ send, same }) => {
  same(await send('PATCH', '/artists/1', { label: { id: 2, code: 'SPOON', city: null } }), 200, ok)
  same(await send('PATCH', '/artists/1', { label: { id: 2, code: 'VSN' } }), 400,
    validation(['/label/code', 'cannot be written, and differs from the current value']))
  same(await send('PATCH', '/artists/1', { label: { id: 2, nope: 1 } }), 400,
    validation(['/label/nope', 'there is no such field']))
})

writes('a member that is a sub-collection or sub-item creates or links its elements in the same transaction', async ({
  get, send, same
}) => {
  const albums = [{ title: 'Let Us Play', tracks: [{ title: 'Intro' }, { title: 'Return to Margin' }] }]
  const artists = [{ name: 'Noisia' }, { name: 'Coldcut', email: null, albums }]
  same(await send('POST', '/labels', { code: 'NINJA', artists }), 201, created(3))
  same(await get('/labels/3?fields=artists(name,albums(title,tracks(title;sort=title)))'), 200, {
    artists: [
      { name: 'Noisia', albums: [{ title: 'Outer Edges', tracks: [{ title: 'Intro' }] }] }, { name: 'Coldcut', albums }
    ]
  })
  same(await send('PATCH', '/artists/Can', { label: { code: 'NEW', city: 'Köln' } }), 200, ok)
  same(await get('/artists/Can/label?fields=code,city'), 200, { code: 'NEW', city: 'Köln' })
})

writes('errors of elements point at the element, and leave nothing', async ({ t, opened, send, same }) => {
  const before = await contents(opened)
  const artists = (...more: object[]) => ({ code: 'NINJA', artists: [{ name: 'One', email: null }, ...more] })
  same(await send('POST', '/labels', artists({ email: null, rating: 11 })), 400,
    validation(['/artists/1/rating', 'must be at most 10'], ['/artists/1/name', 'is required']))
  same(await send('POST', '/labels', artists({ name: 'Two', rating: 11 })), 400,
    validation(['/artists/1/rating', 'must be at most 10'], ['/artists/1/email', 'is required']))
  same(await send('POST', '/labels', artists({ name: 'forbidden', email: null })), 400,
    { error: 'argument', message: 'An artist cannot be named so.', pointer: '/artists/1' })
  same(await send('POST', '/labels', artists({ name: 'Two', email: 'can@example.org' })), 409,
    duplicate('email', '/artists/1'))
  same(await send('POST', '/labels', artists({ id: 99 })), 409,
    reference('There is no artist with the id 99.', ['artists'], '/artists/1'))
  same(await send('POST', '/labels', { code: 'NINJA', artists: {} }), 400,
    validation(['/artists', 'must be an array; found an object']))
  t.strictSame(await contents(opened), before)
})

writes('a conflict of an earlier element is told before mistakes of elements that turn out to be new', async ({
  t, opened, send, same
}) => {
  const before = await contents(opened)
  const taken = { name: 'One', email: 'can@example.org' }
  const wrong = { name: 'Two', email: null, rating: 11 }
  const mistake = (pointer: string) => validation([`${pointer}/rating`, 'must be at most 10'])
  // Each of these artists may be there already, by its name.
  same(await send('POST', '/labels', { code: 'NINJA', artists: [taken, wrong] }), 409, duplicate('email', '/artists/0'))
  same(await send('PATCH', '/labels/1', { artists: [taken, wrong] }), 409, duplicate('email', '/artists/0'))
  same(await send('POST', '/labels', { code: 'NINJA', artists: [wrong, taken] }), 400, mistake('/artists/0'))
  same(await send('POST', '/labels', [{ code: 'VSN' }, { code: 'NINJA', artists: [wrong] }]), 409,
    duplicate('code', '/0'))
  same(await send('POST', '/labels', { code: 'VSN', artists: [wrong] }), 409, duplicate('code'))
  // Without an identifier an artist is new.
  const unnamed = { email: null, rating: 11 }
  same(await send('POST', '/labels', { code: 'VSN', artists: [taken, unnamed] }), 400,
    validation(['/artists/1/rating', 'must be at most 10'], ['/artists/1/name', 'is required']))
  t.strictSame(await contents(opened), before)
})

const Order = Type.Object({
  id: Type.Integer({ identifier: true, readable: true }),
  parentId: Type.Optional(Type.Integer({ readable: true, writable: true })),
  makerId: Type.Optional(Type.Integer()),
  parent: SubItem('orders', { foreignKey: 'parentId' }),
  maker: SubItem('orders', { foreignKey: 'makerId', readable: true, writable: true })
})

everySource('a reference to nothing is 409, naming the field by which the client made it', async ({
  t, opened, get, send, same
}) => {
  const before = await opened.rows('orders')
  const refused = dangling('parent_id')
  same(await send('PUT', '/orders/1', { parent_id: 99 }), 409, refused)
  same(await send('PUT', '/orders/1/parent_id', 99), 409, refused)
  same(await send('POST', '/orders', { parent_id: 99 }), 409, refused)
  same(await send('POST', '/orders', [{}, { parent_id: 99 }]), 409, { ...refused, pointer: '/1' })
  same(await send('PUT', '/orders/2', { parent_id: 99, maker: { id: 1 } }), 409, refused)
  t.strictSame(await opened.rows('orders'), before)
  same(await send('PUT', '/orders/2', { parent_id: 1, maker: { id: 2 } }), 200, ok)
  same(await get('/orders/2?fields=parent_id,maker(id)'), 200, { parent_id: 1, maker: { id: 2 } })
}, {}, {
  tables: { orders: [{ id: 1, parentId: null, makerId: null }, { id: 2, parentId: null, makerId: null }] },
  ddl: 'create table orders (id key, "parentId" integer references orders, "makerId" integer references orders)',
  collections: source => ({ orders: collection(Order, { source: source('orders') }) })
})

writes('a body may repeat the parent that the URL names', async ({ get, send, same }) => {
  same(await send('POST', '/labels/1/artists', { name: 'Twice', email: null, label: { code: 'VSN' } }), 201,
    created(4))
  same(await send('PUT', '/labels/VSN/artists/Twice', (await get('/labels/VSN/artists/Twice')).json()), 200, ok)
  for (const url of ['/labels/1/artists/Twice', '/labels/1/artists/Thrice']) {
    same(await send('PUT', url, { email: null, label: { id: 2 } }), 400, validation(['/label', 'contradicts the URL']))
  }
  same(await send('POST', '/labels/1/artists', { name: 'Else', email: null, label: { code: 'NEWER' } }), 400,
    validation(['/label', 'contradicts the URL']))
}, upsert)
