import { test } from 'tap'
import { suggest } from '../lib/core/errors/suggest.ts'

test('the name that was probably meant is the most similar one, without regard to case', async t => {
  for (const [name, names, near] of [
    ['nmae', ['name', 'notes'], 'name'],
    ['Name', ['notes', 'name'], 'name'],
    ['ARTISTID', ['artistId'], 'artistId'],
    ['mean_radius', ['mean_radius_km', 'mass_kg'], 'mean_radius_km'],
    ['id', ['x'], undefined],
    ['genre', ['founded'], undefined],
    ['x'.repeat(65), ['x'.repeat(65)], undefined]
  ] as const) t.equal(suggest(name, names), near, name)
  t.equal(suggest('unreadible', ['readable'], 2), undefined, 'a bound of edits')
})
