import { Session } from 'node:inspector'

type Method = (this: object, ...values: unknown[]) => unknown

const textMethods = [
  'split', 'trim', 'trimStart', 'trimEnd', 'toLowerCase', 'replace', 'replaceAll', 'match', 'indexOf', 'includes',
  'lastIndexOf'
]
const listMethods = [
  'concat', 'slice', 'includes', 'indexOf', 'map', 'filter', 'some', 'every', 'join', 'flatMap', Symbol.iterator
]

/**
 * Returns a function that counts the steps of a run: how often each block of the files whose URL contains `files` is
 * executed, and the lengths of the texts and lists that native methods pass over. The count is the same on any machine.
 * It takes the isolate's code coverage for itself, so it belongs into a worker thread of its own.
 */
export function stepCounter (files: string): (run: () => unknown) => number {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

  function takeBlocks (): number {
    let blocks = 0
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      const ranges = result.filter(({ url }) => url.includes(files)).flatMap(script =>
        script.functions.flatMap(({ ranges }) => ranges))
      for (const { count } of ranges) blocks += count
    })
    return blocks
  }

  return run => {
    const passed = countPassed()
    takeBlocks()
    try {
      run()
    } finally {
      passed.stop()
    }
    return takeBlocks() + passed.length
  }
}

/**
 * Counts the lengths of the texts and lists that native methods pass over, and how many texts are lower-cased, as each
 * name is that is compared with similar ones, until it is stopped.
 */
export function countPassed (): { readonly length: number, readonly lowered: number, stop (): void } {
  let [passed, lowered] = [0, 0]
  const count = (length: number, name: PropertyKey) => {
    passed += length
    if (name === 'toLowerCase') lowered++
  }
  const undo = [
    ...textMethods.map(name => countLengths(String.prototype, name, count)),
    ...listMethods.map(name => countLengths(Array.prototype, name, count))
  ]
  return {
    get length () { return passed },
    get lowered () { return lowered },
    stop () { for (const restore of undo) restore() }
  }
}

/**
 * Reports the length of what a method is called on, of a search for its first find up to that, until the function that
 * it returns is called.
 */
function countLengths (
  prototype: object, name: PropertyKey, count: (length: number, name: PropertyKey) => void
): () => void {
  const original = Object.getOwnPropertyDescriptor(prototype, name) ?? {}
  const method = original.value as Method
  function counted (this: { readonly length: number }, ...values: unknown[]): unknown {
    const result = Reflect.apply(method, this, values)
    const isFound = name === 'indexOf' && Number(result) >= 0
    count(isFound ? Number(result) - Number(values[1] ?? 0) : this.length, name)
    return result
  }
  Object.defineProperty(prototype, name, { ...original, value: counted })
  return () => { Object.defineProperty(prototype, name, original) }
}
