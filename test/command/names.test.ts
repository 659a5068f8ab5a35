import { writeFileSync } from 'node:fs'
import { test } from 'tap'
import { newPath, serveTarget } from './helpers.ts'

test('columns of a CSV file may be called by words of SQL', async t => {
  const file = newPath('labels.csv')
  writeFileSync(file, 'id,true,pred\n1,cat,dog\n2,dog,dog\n3,cat,cat\n')
  const { app, close } = await serveTarget(file)
  const [{ name }] = (await app.inject('/')).json<[{ name: string }]>()
  const get = async (query: string) => (await app.inject(`/${name}${query}`)).json<unknown>()
  const [first, second, third] = [
    { id: 1, true: 'cat', pred: 'dog' }, { id: 2, true: 'dog', pred: 'dog' }, { id: 3, true: 'cat', pred: 'cat' }
  ]
  t.strictSame(await get(''), [first, second, third])
  t.strictSame(await get('?sort=true,-id'), [third, first, second])
  t.strictSame(await get('?true=cat'), [first, third])
  t.strictSame(await get('?where=!(true=cat|pred=cat)'), [second])
  t.strictSame(await get('?fields=true,count()'), [{ true: 'cat', count: 2 }, { true: 'dog', count: 1 }])
  t.strictSame(await get('/by_true?fields=id'), { cat: [{ id: 1 }, { id: 3 }], dog: [{ id: 2 }] })
  await close()
})
