import { uuid } from '../fixtures/shop.ts'
import fc from './fast-check.ts'

// Bodies of requests that write to the collections of fixtures/shop.ts.

/** Draws the body of an item, more or less as it should be. */
export function itemBody (name: Name, depth: number): fc.Arbitrary<Body> {
  const known = bodies.get(`${name} ${depth}`) ?? makeBody(name, depth)
  bodies.set(`${name} ${depth}`, known)
  return known
}

/** Prints a value as JSON, with the texts of literal() as they are: JSON.stringify cannot write all that JSON has. */
export const print = (value: unknown) => JSON.stringify(value).replaceAll(marked, '$1')

/** Draws from the first arbitrary `weight` times as often as from the second. */
export const times = <A, B>(weight: number, often: fc.Arbitrary<A>, seldom: fc.Arbitrary<B>): fc.Arbitrary<A | B> =>
  fc.oneof({ weight, arbitrary: often }, { weight: 1, arbitrary: seldom })

/** Draws `undefined`. */
export const absent = fc.constant(undefined)

/** The collections of the shop. */
export type Name = 'labels' | 'artists' | 'albums' | 'tracks'

type Body = Record<string, unknown>

const mark = '\uE123'
const literal = (text: string) => `${mark}${text}${mark}`
const marked = new RegExp(`"${mark}([^"]*?)${mark}"`, 'g')

const nest = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : depth % 2 === 0 ? [nest(depth - 1, inner)] : { name: nest(depth - 1, inner) }

const numbers = [
  literal('-0'), literal('1e400'), literal('-1e400'), literal('9007199254740993'), literal('1.0'), literal('1e0'),
  literal('5e-324'), 0, 1, -1, 7, 9.99, 10, 10.5, 2000, 2 ** 31, 2 ** 53 - 1
]
const texts = [
  '', 'null', '\0', 'a\0b', '\uD800', 'x\uDC00', '\u{1F600}', "it's", '"', '__proto__', 'constructor', '%2F', 'a/b',
  '~1', 'x'.repeat(5000)
]
const dates = [
  '0000-01-01', '0001-01-01', '1900-02-29', '2024-02-29', '9999-12-31', '10000-01-01', '2001-12-31T00:00:00Z'
]
const moments = [
  '2020-01-01T00:00:00Z', '2020-01-01T00:00:00.1234Z', '1990-12-31T23:59:60Z', '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00', '2020-01-01T24:00:00Z', '2020-01-01 00:00:00Z', '2020-01-01T00:00:00', '2001-12-31'
]
const uuids = [1, 2, 3, 4].map(uuid)

/** Draws a value that is seldom right. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { id: 1 }, [{ id: 1 }], ...numbers,
    ...texts, ...dates, ...moments),
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer({ min: 1, max: 40 }).map(depth => nest(depth, null))
)

const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => times(9, right, odd)
const some = (...values: readonly unknown[]) => mostly(fc.constantFrom(...values))

/** The fields of each collection, with values that mean something. */
export const scalars: Readonly<Record<Name, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  labels: { code: some('VSN', 'SPOON', 'NEW', 'WARP'), id: some(1, 2, 3), city: some('Groningen', 'Köln', '', null) },
  artists: {
    name: some('Noisia', 'Can', '2', 'New', 'Neu!', 'forbidden'),
    id: some(1, 2, 3, 4),
    email: some(null, null, null, 'can@example.org', 'new@example.org'),
    born: some(null, ...dates),
    rating: some(...numbers),
    active: some(true, false),
    tags: some([], ['dnb'], ['a', 'a'], ['\0', '\uD800'], [1], [null]),
    biography: some('Long.', null),
    pin: some('0000', '1234', '12345', null),
    old_name: some('Noisia', null, literal('1e400')),
    genre: some('rock', 'jazz', 'folk', null)
  },
  albums: {
    title: some('Outer Edges', 'New', ''), id: some(7, 8, 9), year: some(1971, 2016, ...numbers), version: some(1, 2, 3)
  },
  tracks: {
    title: some('Intro', 'Halleluhwah', 'New', 'Other'),
    id: some(...uuids, uuid(1).toUpperCase()),
    seconds: some(0, 90, 1112),
    played_at: some(null, ...moments)
  }
}

const needed: ReadonlySet<string> = new Set(['code', 'name', 'email', 'title'])

/** The relations of each collection. */
export const relations: Readonly<Record<Name, Readonly<Record<string, Relation>>>> = {
  labels: { artists: { target: 'artists', many: true } },
  artists: { label: { target: 'labels', many: false }, albums: { target: 'albums', many: true } },
  albums: { artist: { target: 'artists', many: false }, tracks: { target: 'tracks', many: true } },
  tracks: {}
}

interface Relation { readonly target: Name, readonly many: boolean }

const strange = fc.tuple(fc.constantFrom('__proto__', 'constructor', 'label_id', 'artist_id', 'a/b~', '', 'naem'), odd)
  .map(([name, value]) => ({ name, value }))

const bodies = new Map<string, fc.Arbitrary<Body>>()

function makeBody (name: Name, depth: number): fc.Arbitrary<Body> {
  const members = Object.entries(scalars[name]).map(([member, value]) =>
    [member, needed.has(member) ? times(6, value, absent) : times(4, absent, value)] as const)
  const related = depth === 0
    ? []
    : Object.entries(relations[name]).map(([member, { target, many }]) =>
      [member, relation(target, many, depth)] as const)
  return fc.tuple(fc.record(Object.fromEntries([...members, ...related])),
    times(19, absent, strange)).map(([body, more]) => {
    const all = Object.entries(body).filter(([, value]) => value !== undefined)
    return Object.fromEntries(more === undefined ? all : [...all, [more.name, more.value]])
  })
}

function relation (target: Name, many: boolean, depth: number): fc.Arbitrary<unknown> {
  const element = mostly(itemBody(target, depth - 1))
  const right = many ? fc.array(element, { maxLength: 3 }) : times(4, element, fc.constant(null))
  return times(1, absent, mostly(right))
}
