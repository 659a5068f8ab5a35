import { test } from 'tap'
import { sharesOf } from '../benchmarks/profile/stages.ts'
import { estimateRatio } from '../benchmarks/statistics.ts'

test('a ratio is the median of all averages of two rounds, with the interval of Wilcoxon\'s test', async t => {
  const rounds = [1, 2, 4, 8, 16, 32]
  const { value, low, high } = estimateRatio(rounds)
  t.strictSame([value, low, high].map(figure => figure.toFixed(6)), [Math.sqrt(32).toFixed(6), '1.000000', '32.000000'])
  // The table of the test has 21 for 14 rounds: the 22nd average from either side bounds the interval.
  const averages = [...Array(14).keys()].flatMap((_, one, all) => all.slice(one).map(other => (one + other) / 2))
    .sort((one, other) => one - other)
  const wide = estimateRatio([...Array(14).keys()].map(Math.exp))
  t.strictSame([Math.log(wide.low).toFixed(6), Math.log(wide.high).toFixed(6)], [
    averages[21]?.toFixed(6), averages.at(-22)?.toFixed(6)
  ])
})

test('one disturbed round does not widen an interval, and fewer than six rounds bound nothing', async t => {
  const { low, high } = estimateRatio([...Array(11).fill(1), 100])
  t.strictSame([low, high], [1, 1])
  t.strictSame(estimateRatio([3, 3, 3, 3, 3]), { value: Math.exp(Math.log(3)), low: 0, high: Infinity })
})

test('a sample of a profile belongs to the innermost room of the plugin on its stack', async t => {
  const node = (id: number, functionName: string, url: string, ...children: readonly number[]) =>
    ({ id, callFrame: { functionName, url }, children })
  const shares = sharesOf({
    nodes: [
      node(1, '(root)', '', 2, 8, 9, 10),
      node(2, 'onRequest', 'node:_http_server', 3),
      node(3, 'answer', 'file:///p/dist/lib/api/answer.js', 4, 6),
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
