import { test } from 'tap'
import { openDesk } from '../helpers/desk.ts'
import { read } from '../helpers/documents.ts'

test('the types of the pages are those of the API', async t => {
  const { app } = await openDesk(t, 'sqlite')
  t.equal(read('examples/desk/web/src/api.ts'), app.dataApi.types())
})
