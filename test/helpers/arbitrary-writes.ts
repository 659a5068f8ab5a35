import { uuid } from '../fixtures/shop.ts'
import { absent, itemBody, type Name, odd, print, relations, scalars, times } from './arbitrary-bodies.ts'
import fc from './fast-check.ts'

// Requests that write to the collections of fixtures/shop.ts.

/** A request as it is sent. */
export interface Sent {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

const uuids = [1, 2, 3, 4].map(uuid)

const identifiers: Readonly<Record<Name, readonly string[]>> = {
  labels: [
    '1', '2', '3', 'VSN', 'SPOON', 'NEW', 'X', 'much%20too%20long', 'by_code/WARP', 'by_code/X', 'by_id/1', 'by_id/9',
    '9007199254740991'
  ],
  artists: [
    '1', '2', '3', '4', 'Noisia', 'Can', 'New', 'forbidden', '%00', 'me', '~Noisia', '~New', '__proto__', 'by_name/2',
    'by_name/forbidden', 'by_email/can@example.org', 'by_email/x', 'by_slug/~Can', 'by_id/2'
  ],
  albums: ['7', '8', '9', 'by_id/7', '-0'],
  tracks: [...uuids, uuid(1).replace('8000', 'A000'), 'Intro', 'New', 'a%2Fb', `by_id/${uuid(3)}`, 'by_title/New']
}
const groups: Readonly<Record<Name, readonly string[]>> = {
  labels: ['by_city/Groningen', 'by_city/K%C3%B6ln', 'by_city'],
  artists: [
    'by_genre/rock', 'by_genre/folk', 'by_rating/7', 'by_rating/99', 'by_active/false', 'by_born/2024-02-29',
    'by_old_name/x', 'by_tags/x', 'by_pin/1234', 'by_name'
  ],
  albums: ['by_year/1971', 'by_title/New', 'by_title/New/by_year/1', 'by_version/1'],
  tracks: ['by_played_at/2020-01-01T00:00:00Z', 'by_seconds/90', 'by_seconds']
}

interface Target {
  readonly url: string
  readonly body: fc.Arbitrary<unknown>
  readonly kind: 'many' | 'each' | 'one' | 'scalar'
}

const names: Readonly<Record<Name, ReadonlyArray<Readonly<Record<string, unknown>>>>> = {
  labels: [{ id: 1 }, { id: 2 }, { code: 'VSN' }, { id: 9, code: 'X' }, {}],
  artists: [{ id: 1 }, { id: 2 }, { name: 'Can' }, { name: 'New' }, { email: 'can@example.org' }],
  albums: [{ id: 7 }, { id: 8 }, { id: 9 }, { id: 70 }],
  tracks: [{ id: uuid(1) }, { id: uuid(3) }, { title: 'Intro' }, { title: 'New' }]
}

/** Changes of items that they name. */
const changesOf = (name: Name) => fc.array(fc.tuple(itemBody(name, 1), fc.constantFrom(...names[name]))
  .map(([body, named]) => ({ ...body, ...named })), { maxLength: 3 })

const oneOr = (element: fc.Arbitrary<unknown>) => times(3, element, fc.array(element, { maxLength: 3 }))

/** Anything that can be said below a collection. */
function below (url: string, name: Name, depth: number): fc.Arbitrary<Target> {
  const group = times(4, fc.constant(url), fc.constantFrom(...groups[name]).map(group => `${url}/${group}`))
  return group.chain(url => fc.oneof(
    times(3, fc.constant<Target>({ url, body: oneOr(itemBody(name, 2)), kind: 'many' }),
      fc.constant<Target>({ url, body: changesOf(name), kind: 'each' })),
    fc.constantFrom(...identifiers[name]).chain(identifier => ofItem(`${url}/${identifier}`, name, depth))
  ))
}

function ofItem (url: string, name: Name, depth: number): fc.Arbitrary<Target> {
  const one = fc.constant<Target>({ url, body: itemBody(name, 2), kind: 'one' })
  const scalar = fc.constantFrom(...Object.entries(scalars[name])).map<Target>(([field, body]) =>
    ({ url: `${url}/${field}`, body, kind: 'scalar' }))
  const further = Object.entries(relations[name]).map(([field, { target, many }]) => many
    ? below(`${url}/${field}`, target, depth - 1)
    : ofItem(`${url}/${field}`, target, depth - 1))
  return depth === 0
    ? fc.oneof(one, scalar)
    : fc.oneof({ weight: 3, arbitrary: one }, { weight: 2, arbitrary: scalar },
      ...further.map(arbitrary => ({ weight: 2, arbitrary })))
}

const targets = fc.constantFrom<Name>('labels', 'artists', 'albums', 'tracks').chain(name => below(`/${name}`, name, 2))

const likely: Readonly<Record<Target['kind'], ReadonlyArray<Sent['method']>>> = {
  many: ['POST'], each: ['PATCH'], one: ['PUT', 'PATCH', 'PUT', 'DELETE'], scalar: ['PUT']
}

const methodFor = (kind: Target['kind']) =>
  times(9, fc.constantFrom(...likely[kind]), fc.constantFrom<Sent['method']>('POST', 'PUT', 'PATCH', 'DELETE'))

const unlikely = (...values: readonly string[]) => times(5, absent, fc.constantFrom(...values))
const headers = fc.record({
  prefer: unlikely('return=representation', 'return=minimal'),
  'if-match': unlikely('*', '"x"', ''),
  'if-none-match': unlikely('*'),
  'x-me': unlikely('1', '9')
})
  .map(all =>
    Object.fromEntries(Object.entries(all).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])))

const requestOf = (bodyOf: (target: Target) => fc.Arbitrary<string | undefined>) => targets.chain(target =>
  fc.record<Sent>({ method: methodFor(target.kind), url: fc.constant(target.url), body: bodyOf(target), headers }))

const shaped = requestOf(({ body }) =>
  times(19, body.map(print), fc.constantFrom(undefined, '', '{', 'null', '[]', '{}')))
const anything = requestOf(() => fc.oneof(fc.jsonValue().map(print), odd.map(print), fc.json(), fc.string()))

/** Draws a sequence of requests. */
export const requests = fc.array(times(9, shaped, anything), { minLength: 1, maxLength: 6 })

const put = (url: string, body: string): Sent => ({ method: 'PUT', url, body, headers: {} })
const post = (url: string, body: string): Sent => ({ method: 'POST', url, body, headers: {} })
const once: Sent[][] = [
  [post('/tracks', '{"title":"New","played_at":"9999-12-31T23:59:59-01:00"}')],
  [put('/tracks/Intro', '{"played_at":"0000-01-01T00:00:00+01:00"}')],
  [post('/tracks', `{"id":"${uuid(2)}","title":"Intro"}`)],
  [post('/artists', '{"name":"Can","email":"noisia@example.org"}')],
  [put('/labels/9007199254740991', '{"code":"BIG"}'), post('/labels', '{"code":"NEXT"}')],
  [put('/labels/X', '{}')],
  [post('/artists/by_rating/99', '{"name":"Loud","email":null}')],
  [put('/artists/by_name/forbidden', '{"email":null}')]
]

/** Sequences that have gone wrong once, to be tried before any that are drawn. */
export const examples = once.map((sent): [Sent[]] => [sent])
