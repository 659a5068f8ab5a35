import { test } from 'tap'
import { type Naming, toName } from '../../lib/core/model/names.ts'

const names = (naming: Naming, properties: readonly string[]) => properties.map(property => toName(naming, property))
const properties = [
  'StartDate', 'startDate', 'start_date', 'HTTPListener', 'artistID', 'iso8601Date', 'album2Tracks', 'Größe', 'a', 'URL'
]

test('names on the wire are in snake_case', async t => {
  t.same(names('snake_case', properties), [
    'start_date', 'start_date', 'start_date', 'http_listener', 'artist_id', 'iso8601_date', 'album2_tracks', 'größe',
    'a', 'url'
  ])
})

test('the convention is configurable', async t => {
  t.same(names('camelCase', properties), [
    'startDate', 'startDate', 'startDate', 'httpListener', 'artistId', 'iso8601Date', 'album2Tracks', 'größe', 'a',
    'url'
  ])
  t.same(names('kebab-case', ['StartDate', 'HTTPListener']), ['start-date', 'http-listener'])
  t.same(names('PascalCase', ['start_date', 'HTTPListener']), ['StartDate', 'HttpListener'])
  t.same(names('none', ['StartDate', 'start_date']), ['StartDate', 'start_date'])
  t.same(names(name => `x_${name}`, ['StartDate']), ['x_StartDate'])
})
