import { comments } from '../fixtures/comments.ts'
import { everyWrite } from '../helpers/batch-of-one.ts'

// docs/declaring.md: Relations to several collections. `where` gives values to fields beside a foreign key.

type Run = Parameters<typeof everyWrite>[1]
const every = (name: string, run: Run, of = comments()) => { everyWrite(name, run, {}, of) }
const ids = (...list: readonly number[]) => list.map(id => ({ id }))

every('a relation leads only to items with its constants', async ({ get, same, t }) => {
  same(await get('/comments/1/photo/file'), 200, 'b.png')
  for (const path of ['/comments/1/post/title', '/comments/5/post/title', '/posts/2/comments/1', '/posts/3/comments']) {
    t.equal((await get(path)).statusCode, 404, path)
  }
  same(await get('/comments/1/post'), 200, null)
  same(await get('/posts/2/comments?fields=id'), 200, ids(2))
  same(await get('/photos/2/comments?fields=id&sort=-id'), 200, ids(4, 1))
  same(await get('/photos/2/comments/by_id?fields=text'), 200, { 1: { text: 'a' }, 4: { text: 'd' } })
  same(await get('/comments?fields=id,post(id),photo(id)'), 200, [
    { id: 1, post: null, photo: { id: 2 } },
    { id: 2, post: { id: 2 }, photo: null },
    { id: 3, post: { id: 1 }, photo: null },
    { id: 4, post: null, photo: { id: 2 } },
    { id: 5, post: null, photo: null }
  ])
  same(await get('/posts?fields=id,comments(id,photo(id))'), 200, [
    { id: 1, comments: [{ id: 3, photo: null }] }, { id: 2, comments: [{ id: 2, photo: null }] }
  ])
})

every('filters, functions and sorts follow only items with the constants', async ({ get, same }) => {
  for (const [path, found] of Object.entries({
    '/comments?post.title=two': [2],
    '/comments?post.id=2': [2],
    '/comments?post=null': [1, 4, 5],
    '/comments?photo!=null': [1, 4],
    '/comments?photo.file^=b': [1, 4],
    '/comments?post.id<2': [3],
    '/posts?comments.text=a': [],
    '/posts?comments.id=1': [],
    '/posts?comments.id=2': [2],
    '/posts?comments(id=1|text=b)': [2],
    '/photos?comments.count()=2': [2],
    '/photos?comments.count()=0': [3],
    '/posts?comments.id.max()=2': [2],
    '/posts?sort=-comments.id.max()': [1, 2],
    '/comments?sort=-post.id,id': [1, 4, 5, 2, 3]
  })) same(await get(`${path}${path.includes('?') ? '&' : '?'}fields=id`), 200, ids(...found))
  same(await get('/photos?fields=id,comments.count(),comments.id.sum()'), 200, [
    { id: 2, comments: { count: 2, id: { sum: 5 } } }, { id: 3, comments: { count: 0, id: { sum: null } } }
  ])
  same(await get('/posts/2/comments?fields=count()'), 200, [{ count: 1 }])
  same(await get('/comments?fields=post(title),count()&sort=post.title'), 200, [
    { post: { title: 'one' }, count: 1 }, { post: { title: 'two' }, count: 1 }, { post: null, count: 3 }
  ])
})

const stored = 'fields=commentable_type,commentable_id'

every('a creation through a relation sets its constants', async ({ get, same, send, t }) => {
  t.equal((await send('POST', '/photos/3/comments', { text: 'new' })).statusCode, 201)
  same(await get(`/comments/6?${stored}`), 200, { commentable_type: 'Photo', commentable_id: 3 })
  t.equal((await send('POST', '/posts', { title: 'x', comments: [{ text: 'n' }] })).statusCode, 201)
  same(await get(`/comments/7?${stored}`), 200, { commentable_type: 'Post', commentable_id: 3 })
  t.equal((await send('POST', '/comments', { text: 's', photo: { id: 3 } })).statusCode, 201)
  same(await get(`/comments/8?${stored}`), 200, { commentable_type: 'Photo', commentable_id: 3 })
  t.equal((await send('POST', '/comments', { text: 's', post: { id: 9 } })).statusCode, 409)
})

every('a creation through a relation cannot contradict its constants', async ({ get, same, send, t }) => {
  for (const body of [{ text: 'n', commentable_type: 'Post' }, { text: 'n', post: { id: 2 } }]) {
    t.equal((await send('POST', '/photos/2/comments', body)).statusCode, 400, JSON.stringify(body))
  }
  t.equal((await send('POST', '/posts', { title: 'x', comments: [{ text: 'n', commentable_type: 'Photo' }] }))
    .statusCode, 400)
  t.equal((await send('POST', '/photos/2/comments', { text: 'n', commentable_type: 'Photo' })).statusCode, 201)
  same(await get('/comments?id>5&fields=id'), 200, ids(6))
})

every('a link sets the constants, and what is taken out keeps them', async ({ get, same, send, t }) => {
  t.equal((await send('POST', '/posts/1/comments', { id: 5 })).statusCode, 200)
  same(await get(`/comments/5?${stored}`), 200, { commentable_type: 'Post', commentable_id: 1 })
  t.equal((await send('PATCH', '/comments/3', { photo: { id: 3 } })).statusCode, 200)
  same(await get(`/comments/3?${stored}`), 200, { commentable_type: 'Photo', commentable_id: 3 })
  t.equal((await send('DELETE', '/posts/1/comments/5')).statusCode, 200)
  same(await get(`/comments/5?${stored}`), 200, { commentable_type: 'Post', commentable_id: null })
  t.equal((await send('DELETE', '/comments/1/post')).statusCode, 404)
  t.equal((await send('DELETE', '/comments/1/photo')).statusCode, 200)
  same(await get(`/comments/1?${stored}`), 200, { commentable_type: 'Photo', commentable_id: null })
  // An item of another collection moves, and a list is replaced without the items of another relation.
  t.equal((await send('PUT', '/photos/2/comments', [{ id: 2 }])).statusCode, 200)
  same(await get('/photos/2/comments?fields=id'), 200, ids(2))
  same(await get('/posts?fields=id,comments(id)'), 200, [{ id: 1, comments: [] }, { id: 2, comments: [] }])
  t.equal((await send('PUT', '/posts/2/comments', [])).statusCode, 200)
  same(await get('/photos/2/comments?fields=id'), 200, ids(2))
  same(await get(`/comments/4?${stored}`), 200, { commentable_type: 'Photo', commentable_id: null })
})

every('an item that is sent back as it was read stays as it is', async ({ get, same, send, t }) => {
  for (const order of ['post,photo', 'photo,post']) {
    for (const id of [1, 2, 5]) {
      const url = `/comments/${id}?fields=text,commentable_type,commentable_id,${order.replace(',', '(id),')}(id)`
      const before = (await get(url)).json()
      t.equal((await send('PATCH', `/comments/${id}`, before)).statusCode, 200)
      same(await get(url), 200, before)
    }
  }
  t.equal((await send('PATCH', '/comments/2', { photo: { id: 3 }, post: null })).statusCode, 200)
  same(await get(`/comments/2?${stored}`), 200, { commentable_type: 'Photo', commentable_id: 3 })
  t.equal((await send('PATCH', '/comments/2', { photo: null })).statusCode, 200)
  same(await get(`/comments/2?${stored}`), 200, { commentable_type: 'Photo', commentable_id: null })
})

every('a scope hides only what a relation leads to', async ({ get, same, send, t }) => {
  same(await get('/comments?fields=id,post(id),photo(id)&id<3'), 200, [
    { id: 1, post: null, photo: { id: 2 } }, { id: 2, post: null, photo: null }
  ])
  same(await get('/comments?post=null&fields=id'), 200, ids(1, 2, 4, 5))
  t.equal((await send('PATCH', '/comments/1', { photo: { id: 2 }, text: 'z' })).statusCode, 200)
  t.equal((await send('POST', '/photos/2/comments', { text: 'n' })).statusCode, 201)
  t.equal((await send('PATCH', '/comments/1', { post: { id: 2 } })).statusCode, 409)
  t.equal((await send('PATCH', '/comments/1', { commentable_type: 'Post' })).statusCode, 409)
  same(await get(`/comments/1?${stored}`), 200, { commentable_type: 'Photo', commentable_id: 2 })
}, comments({ guard: true }))

every('a rule of the field keeps an item from moving', async ({ get, same, send, t }) => {
  t.equal((await send('POST', '/posts/1/comments', { id: 4 })).statusCode, 403)
  t.equal((await send('PATCH', '/comments/4', { post: { id: 1 } })).statusCode, 403)
  same(await get(`/comments/4?${stored}`), 200, { commentable_type: 'Photo', commentable_id: 2 })
  t.equal((await send('POST', '/posts/1/comments', { id: 5 })).statusCode, 200)
  t.equal((await send('POST', '/posts/1/comments', { text: 'new' })).statusCode, 201)
}, comments({ fixed: true }))
