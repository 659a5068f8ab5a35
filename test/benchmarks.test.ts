import { test } from 'tap'
import { sharesOf } from '../benchmarks/profile/stages.ts'
import { estimateRatio } from '../benchmarks/statistics.ts'

test('a ratio is the geometric mean of its rounds, with the interval of Student\'s t', async t => {
  const { value, low, high } = estimateRatio([1, 2, 4])
  t.equal(value.toFixed(6), '2.000000')
  // The logarithms differ from their mean by ln 2, so the interval reaches 4.303 ln 2 / sqrt 3 to each side.
  t.equal(high.toFixed(3), (2 * 2 ** (4.303 / Math.sqrt(3))).toFixed(3))
  t.equal((low * high).toFixed(6), '4.000000')
  t.strictSame(estimateRatio([3]), { value: Math.exp(Math.log(3)), low: 0, high: Infinity })
})

test('a sample of a profile belongs to the innermost room of the plugin on its stack', async t => {
  const node = (id: number, functionName: string, url: string, ...children: readonly number[]) =>
    ({ id, callFrame: { functionName, url }, children })
  const shares = sharesOf({
    nodes: [
      node(1, '(root)', '', 2, 8, 9, 10),
      node(2, 'onRequest', 'node:_http_server', 3),
      node(3, 'answer', 'file:///p/dist/lib/answer.js', 4, 6),
      node(4, 'parsePath', 'file:///p/dist/lib/request/path.js', 5),
      node(5, 'split', ''),
      node(6, 'run', 'file:///p/lib/sources/memory/read.ts', 7),
      node(7, 'get', 'file:///p/node_modules/other/lib/index.js'),
      node(8, '(idle)', ''),
      node(9, '(garbage collector)', ''),
      node(10, '(program)', '')
    ],
    samples: [3, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    timeDeltas: [900, 10, 10, 10, 10, 20, 10, 70, 20, 10]
  }, 170)
  t.strictSame(Object.fromEntries(shares), {
    'router, hooks and HTTP': 0.1,
    'batches and answer.ts': 0.1,
    parse: 0.2,
    run: 0.3,
    'garbage collection': 0.2,
    'the event loop and the system': 0.1
  })
})
