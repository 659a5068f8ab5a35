import { contents, shop } from '../fixtures/shop.ts'
import { everySource, type Tools, type World } from '../helpers/every-source.ts'
import { world } from '../helpers/shop-writes.ts'
import { created, duplicate, missing, notAllowed, ok, unmet, validation } from '../helpers/answers.ts'

// docs/http.md: Batches

const strategies = { requestStrategies: { batch: true, upsert: true, delete: true } } as const

const batches = (
  name: string, run: (tools: Tools) => Promise<void>, options: Parameters<typeof everySource>[2] = strategies,
  of: World = world
) => { everySource(name, run, options, of) }

batches('operations run in order in one transaction, and each is answered as alone', async ({ get, send, same }) => {
  same(await send('POST', '/', [
    { method: 'POST', path: '/artists', body: { name: 'Neu!', email: null } },
    { method: 'PATCH', path: '/artists/Neu!', body: { rating: 9 } },
    { method: 'PUT', path: '/artists/4/rating', body: 8 },
    { method: 'POST', path: '/artists/4/albums', body: [{ title: 'Neu!' }, { title: 'Neu! 2' }] },
    { method: 'PUT', path: '/labels/by_code/BRAIN', body: { city: 'Hamburg' } },
    { method: 'DELETE', path: '/albums/10' }
  ]), 200, [
    { status: 201, location: '/artists/by_id/4', body: created(4) },
    { status: 200, body: ok },
    { status: 200, body: ok },
    { status: 201, body: [created(9), created(10)] },
    { status: 201, body: { status: 'created' } },
    { status: 200, body: ok }
  ])
  same(await get('/artists/Neu!?fields=id,rating,albums(title)'), 200, {
    id: 4, rating: 8, albums: [{ title: 'Neu!' }]
  })
  same(await send('POST', '/', []), 200, [])
})

batches('an operation refers to the item of an earlier one, in its path and in its body', async ({
  get, send, same
}) => {
  same(await send('POST', '/', [
    { method: 'POST', path: '/artists', body: { name: 'Neu!', email: null }, as: 'neu' },
    { method: 'POST', path: '/$neu/albums', body: { title: 'Neu!' }, as: 'first' },
    { method: 'POST', path: '/albums', body: { title: 'Neu! 2', artist: { $: 'neu' } } },
    { method: 'PUT', path: '/labels/by_code/BRAIN', body: { artists: [{ $: 'neu' }, { id: 3 }] }, as: 'brain' },
    { method: 'PATCH', path: '/artists/1', body: { label: { $: 'brain' } }, as: 'noisia' },
    { method: 'PATCH', path: '/$first', body: { year: 1972, artist: { $: 'noisia' } } },
    { method: 'POST', path: '/$first/tracks', body: { title: 'Hallogallo' }, as: 'track' },
    { method: 'POST', path: '/albums/7/tracks', body: { $: 'track' } },
    { method: 'PUT', path: '/$neu/rating', body: 1 }
  ]), 200, [
    { status: 201, location: '/artists/by_id/4', body: created(4) },
    { status: 201, location: '/artists/by_id/4/albums/9', body: created(9) },
    { status: 201, location: '/albums/10', body: created(10) },
    { status: 201, body: { status: 'created' } },
    { status: 200, body: ok },
    { status: 200, body: ok },
    await addedTrack(get),
    { status: 200, body: ok },
    { status: 200, body: ok }
  ])
  same(await get('/labels/BRAIN?fields=artists(name,rating)'), 200, {
    artists: [{ name: 'Noisia', rating: 5 }, { name: '2', rating: 5 }, { name: 'Neu!', rating: 1 }]
  })
  same(await get('/albums?fields=title,year,artist(name)&id>8'), 200, [
    { title: 'Neu!', year: 1972, artist: { name: 'Noisia' } }, { title: 'Neu! 2', year: 2000, artist: { name: 'Neu!' } }
  ])
  same(await get('/tracks/Hallogallo?fields=title'), 200, { title: 'Hallogallo' })
})

/** The key of a track is at random. */
async function addedTrack (get: Tools['get']) {
  const { id } = (await get('/tracks/Hallogallo?fields=id')).json<{ id: string }>()
  return { status: 201, location: `/albums/9/tracks/by_id/${id}`, body: { status: 'created', id } }
}

batches('a name must be that of one item that an earlier operation creates or updates', async ({ send, same, t }) => {
  const can = { method: 'POST', path: '/labels', body: { code: 'XX' }, as: 'can' }
  const faulty = async (operations: readonly unknown[], pointer: string, message: string, operation?: number) => {
    same(await send('POST', '/', operations), 400, {
      ...validation([pointer, message]), ...operation !== undefined && { operation }
    })
  }
  await faulty([{ method: 'PATCH', path: '/$can', body: {} }, can], '/0/path', "there is no earlier operation 'can'", 0)
  await faulty([{ ...can, body: { code: 'XX', artists: [{ $: 'can' }] } }], '/0/body/artists/0',
    "there is no earlier operation 'can'", 0)
  await faulty([can, { method: 'POST', path: '/albums', body: { title: 'x', artist: { $: 'can' } } }],
    '/1/body/artist', "'can' is an item of 'labels'; expected one of 'artists'", 1)
  await faulty([can, can], '/1/as', 'names two operations')
  for (const operation of [
    { method: 'POST', path: '/labels', body: [{ code: 'XX' }] }, { method: 'DELETE', path: '/albums/7' },
    { method: 'PUT', path: '/labels/1/city', body: 'x' }
  ]) {
    await faulty([{ ...operation, as: 'x' }], '/0/as',
      'can name one item only, which the operation creates or updates', 0)
  }
  for (const as of ['', '1x', 'a-b', 'a'.repeat(65), 7]) {
    t.match((await send('POST', '/', [{ ...can, as }])).body, '"pointer":"/0/as","message":"must be a name of at most')
  }
})

batches('where one operation fails, nothing is written, and its error tells its index', async ({
  opened, send, same, t
}) => {
  const before = await contents(opened)
  const right = [
    { method: 'POST', path: '/artists', body: { name: 'Neu!', email: null }, as: 'neu' },
    { method: 'PATCH', path: '/albums/7', body: { title: 'x', tracks: [{ title: 'new' }] } },
    { method: 'PUT', path: '/labels/by_code/BRAIN', body: { artists: [{ $: 'neu' }] } },
    { method: 'DELETE', path: '/albums/8' }
  ]
  const wrong = [
    [{ method: 'PATCH', path: '/albums/99/artist', body: {} }, 404, missing('99')],
    [{ method: 'PATCH', path: '/albums/7', body: {}, if_match: '"x"' }, 412,
      unmet("The item no longer matches 'If-Match'. Read it again before you change it.")],
    [{ method: 'POST', path: '/albums', body: { title: 'x', artist: { id: 1, name: 'Can' } } }, 400,
      validation(['/INDEX/body/artist/name', 'cannot be written, and differs from the current value'])],
    [{ method: 'POST', path: '/labels', body: [{ code: 'XX' }, { code: 'VSN' }] }, 409,
      duplicate('code', '/INDEX/body/1')],
    [{ method: 'PATCH', path: '/artists/1', body: { name: 'forbidden' } }, 400, {
      error: 'argument', message: 'An artist cannot be named so.'
    }]
  ] as const
  for (const [operation, status, error] of wrong) {
    for (const index of [0, 1, 2, 3, 4]) {
      const response = await send('POST', '/', right.toSpliced(index, 0, operation as never))
      const told = JSON.parse(JSON.stringify(error).replaceAll('INDEX', String(index))) as object
      same(response, status, { ...told, operation: index })
      t.strictSame(await contents(opened), before, `${status} at ${index}`)
    }
  }
  t.equal((await send('POST', '/', right)).statusCode, 200)
})

batches('all that needs no data is checked before anything runs, and told together', async ({
  opened, send, same, t
}) => {
  const before = await contents(opened)
  same(await send('POST', '/', [
    { method: 'POST', path: '/artists', body: { name: '', email: null }, as: 'neu' },
    { method: 'POST', path: '/$neu/albums', body: { nonsense: 1 } },
    { method: 'POST', path: '/labels', body: [{ code: 'XX' }, { code: 1 }] }
  ]), 400, {
    ...validation(
      ['/0/body/name', 'must have at least 1 character'],
      ['/2/body/1/code', 'must be a string of valid Unicode without NUL characters; found the number 1']
    ),
    operation: 0
  })
  same(await send('POST', '/', [
    { method: 'PATCH', path: '/artists/1', body: { name: 'noted' } }, { method: 'PATCH', path: '/nowhere/1', body: {} }
  ]), 404, {
    status: 'not_found', error: 'collection_not_found', message: "There is no collection 'nowhere'.", operation: 1
  })
  same(await send('POST', '/', [{ method: 'POST', path: '/', body: [] }]), 405,
    { ...notAllowed('POST', 'GET, HEAD, OPTIONS'), operation: 0 })
  t.strictSame(await contents(opened), before)
})

const noted: string[] = []
const noting: World = { ...world, collections: shop(noted) }

batches('setters and hooks run as alone, and `saved` after the commit, in the order of the operations', async ({
  send, same, t
}) => {
  noted.length = 0
  const operations = [
    { method: 'POST', path: '/artists', body: { name: 'Neu!', email: null }, as: 'neu' },
    { method: 'PATCH', path: '/$neu', body: { name: 'Neu! 2' } },
    { method: 'DELETE', path: '/artists/3' }
  ]
  same(await send('POST', '/', [...operations, { method: 'DELETE', path: '/artists/99' }]), 404, {
    ...missing('99'), operation: 3
  })
  t.strictSame(noted.splice(0).filter(note => note.startsWith('saved')), [])
  t.equal((await send('POST', '/', operations)).statusCode, 200)
  t.strictSame(noted.splice(0), [
    'name Neu!', 'creating Neu!', 'name Neu! 2', 'updating Neu! Neu! 2', 'deleting 2',
    'saved created 4 Neu!', 'saved updated 4 Neu! 2', 'saved deleted 3 2'
  ])
}, strategies, noting)

batches('`return` asks for the item of an operation, and `Prefer` for those of all', async ({ request, same }) => {
  const [create, update] = [
    { method: 'POST', path: '/labels?fields=code', body: { code: 'XX' } },
    { method: 'PATCH', path: '/labels/1', body: { city: null }, return: 'minimal' }
  ]
  const send = (payload: object[], headers = {}) => request({ method: 'POST', url: '/', payload, headers })
  const response = await send([create, update], { prefer: 'return=representation' })
  const [{ etag = '' } = {}] = response.json<Array<{ etag?: string }>>()
  same(response, 200, [
    { status: 201, location: '/labels/by_id/3', etag, body: { code: 'XX' } }, { status: 204 }
  ], { 'preference-applied': 'return=representation' })
  same(await send([{ method: 'PATCH', path: '/labels/3', body: { city: 'x' }, if_match: etag }]), 200, [
    { status: 200, body: ok }
  ])
})
