import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import { DataApiError } from '../../lib/core/errors/errors.ts'
import { parsePath } from '../../lib/core/request/path.ts'
import { parsePrefer } from '../../lib/core/request/parse.ts'
import fc, { runsOf } from '../helpers/fast-check.ts'

const paths: Record<string, readonly [segments: readonly string[], query: string]> = {
  '': [[], ''],
  '/': [[], ''],
  '*': [[], ''],
  '/artists': [['artists'], ''],
  '/artists/3/albums': [['artists', '3', 'albums'], ''],
  '/artists/?a=1': [['artists'], 'a=1'],
  '/a?': [['a'], ''],
  '/a?b?c=/d': [['a'], 'b?c=/d'],
  '//': [[''], ''],
  '//a': [['', 'a'], ''],
  '/a//b': [['a', '', 'b'], ''],
  '/a//': [['a', ''], ''],
  '/a%2Fb/c': [['a/b', 'c'], ''],
  '/a%252Fb': [['a%2Fb'], ''],
  '/a+b;c,d': [['a+b;c,d'], ''],
  '/%F0%9F%98%80/é': [['😀', 'é'], ''],
  '/a%3Fb?%3F': [['a?b'], '%3F'],
  '/../.': [['..', '.'], ''],
  'http://host/a/b?c=d': [['a', 'b'], 'c=d'],
  'HTTPS://user@host:80/a': [['a'], ''],
  'http://host': [[], ''],
  'http://host?a=/b': [[], 'a=/b'],
  'host:443': [[], '']
}

test('a path is split at its slashes, then each segment is decoded once', async t => {
  for (const [url, [segments, query]] of Object.entries(paths)) t.match(parsePath(url), { segments, query }, url)
})

test('a path means the same where every character but its slashes and commas is encoded', async () => {
  const encode = (path: string) => path.replaceAll(/[^/,]/gu, one =>
    Buffer.from(one).toString('hex').replaceAll(/../g, '%$&'))
  const path = fc.array(fc.constantFrom(...'//,,aZ09-_.~:@$+;!é😀')).map(all => `/${all.join('')}`)
  fc.assert(fc.property(path, path => isDeepStrictEqual(parsePath(path), parsePath(encode(path)))), {
    numRuns: runsOf(300)
  })
})

test('a segment is split at its commas before it is decoded', async t => {
  t.strictSame(parsePath('/a/1,2/x%2Cy,%20z/,/%2C').parts, [['a'], ['1', '2'], ['x,y', ' z'], ['', ''], [',']])
  t.strictSame(parsePath('/a/1,2/x%2Cy,%20z/,/%2C').segments, ['a', '1,2', 'x,y, z', ',', ','])
})

test('broken percent-encoding of a path is refused', async t => {
  for (const url of ['/%', '/a%2', '/%zz', '/a/%ff', '/%c0%af', '/%ed%a0%80', '/\ud800', 'http://h/%']) {
    t.throws(() => parsePath(url), new DataApiError('malformed_url',
      `The segment '${url.replace('http://h', '').split('/').at(-1)}' is not valid percent-encoded UTF-8.`), url)
  }
})

const headers: ReadonlyArray<[header: string | string[] | undefined, preferences: Record<string, string>]> = [
  [undefined, {}],
  ['', {}],
  ['count=exact', { count: 'exact' }],
  ['respond-async', { 'respond-async': '' }],
  ['return=minimal, COUNT=exact', { return: 'minimal', count: 'exact' }],
  ['count = exact ; x=1;y , return="minimal"', { count: 'exact', return: 'minimal' }],
  ['count=exact, count=none', { count: 'exact' }],
  [['count=exact', 'return=minimal, count=none'], { count: 'exact', return: 'minimal' }],
  ['x="a,count=exact;y"', { x: 'a,count=exact;y' }],
  ['x="a\\"b\\\\c", y=1', { x: 'a"b\\c', y: '1' }],
  ['x=""', { x: '' }],
  [',, =1, a b=2, (c)=3, d="e, f=1', {}],
  ['a=b=c, d="e"f, g=1', { g: '1' }],
  [['x="open', 'y=1'], { y: '1' }],
  ['__proto__=1', { ['__proto__']: '1' }]
]

test('preferences are read as RFC 7240 says', async t => {
  for (const [header, preferences] of headers) {
    t.same([...parsePrefer(header)], Object.entries(preferences), JSON.stringify(header))
  }
})
