import { everySource } from '../helpers/every-source.ts'
import { ambiguous, missing } from '../helpers/answers.ts'

// docs/http.md: Identifiers

everySource('a value is searched in all identifiers of the collection', async ({ get, same }) => {
  same(await get('/artists/4/id'), 200, 4)
  same(await get('/artists/Noisia/id'), 200, 1)
  same(await get('/artists/AC-DC%20100%25%3F%23;/id'), 200, 4)
  same(await get('/artists/101/id'), 200, 1)
})

everySource('by_ an identifier searches only that one', async ({ get, same }) => {
  same(await get('/artists/by_name/10/id'), 200, 3)
  same(await get('/artists/by_id/10/name'), 200, '')
  same(await get('/artists/by_number/101/id'), 200, 1)
  same(await get('/artists/by_id/Noisia'), 404, missing('Noisia'))
  same(await get('/artists/by_name/by_name/id'), 200, 9)
})

everySource('a value that does not convert to an identifier\'s type is no match for it', async ({ get, same }) => {
  for (const segment of ['01', '1.0', '1e0', '+1', '-0', '1 ', ' 1', '0x1', '9007199254740993']) {
    same(await get(`/artists/by_id/${encodeURIComponent(segment)}`), 404, missing(segment))
  }
  same(await get('/artists/by_name/a%00b'), 404, missing('a\0b'))
})

everySource('two different items are 409, naming the paths that tell them apart', async ({ get, same }) => {
  same(await get('/artists/10'), 409, ambiguous('10', '/artists/by_id/10', '/artists/by_name/10'))
  same(await get('/albums/5/artist/fans/10'), 404, missing('10'))
  same(await get('/artists/10/albums'), 409, (await get('/artists/10')).json())
})

everySource('a special identifier is tried first and overrides the others', async ({ get, same }) => {
  same(await get('/artists/me/name', { 'x-artist': '1' }), 200, 'Noisia')
  same(await get('/artists/by_name/me/id', { 'x-artist': '1' }), 200, 5)
})

everySource('a special identifier may resolve to nothing, which is 404', async ({ get, same }) => {
  for (const [url, caller] of [['/artists/me', undefined], ['/artists/me', '999'], ['/artists/me/albums', '999']]) {
    same(await get(url ?? '', { ...caller !== undefined && { 'x-artist': caller } }), 404, missing('me'))
  }
})

everySource('Content-Location names the own URL of an item found by a special identifier', async ({ get, same }) => {
  same(await get('/artists/me?fields=name', { 'x-artist': '2' }), 200, { name: 'Can' },
    { 'content-location': '/artists/by_id/2' })
  same(await get('/artists/2?fields=name'), 200, { name: 'Can' }, { 'content-location': undefined })
  same(await get('/artists/1/fans/me?fields=name', { 'x-artist': '2' }), 200, { name: 'Can' },
    { 'content-location': '/artists/1/fans/by_id/2' })
})

everySource('names that every object has are names like any other', async ({ t, get, same }) => {
  same(await get('/artists/__proto__/id'), 200, 7)
  same(await get('/artists/constructor/id'), 200, 8)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.equal((await get(`/${name}`)).json().error, 'collection_not_found')
    t.equal((await get(`/artists/1/${name}`)).json().error, 'field_not_found')
    t.equal((await get(`/artists?${name}=1`)).json().error, 'invalid_filter')
    t.equal((await get(`/artists?sort=${name}`)).json().error, 'invalid_sort')
    t.equal((await get(`/artists?fields=${name}`)).json().error, 'invalid_fields')
  }
  same(await get('/artists/toString'), 404, missing('toString'))
})
