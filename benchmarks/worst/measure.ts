import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { page, type WorstRequest } from './requests.ts'

/** A version of the package over a SQLite file. `entry`: the URL of its main module. */
export interface Subject { readonly entry: string, readonly file: string }

/** The cost of one request. */
export interface Cost {
  /** The end of the request: its status, `error` and `limit`, or the reason why there is none. */
  readonly end: string
  /** CPU time of the process, as a multiple of that of a page of 20. */
  readonly pages: number
  /** True if the request had not ended within the time limit, so that `pages` and `wait` are lower bounds. */
  readonly isUnended: boolean
  /** The longest time in milliseconds in which a request for an item was answered meanwhile. */
  readonly wait: number
  /** The most memory of the process, in MB; undefined where it ended. */
  readonly memory: number | undefined
}

// In milliseconds: longer than the limits of today, so that their answers are seen.
const limit = 13_000

/** Measures one request in a process of its own, with 512 MB for its objects. */
export async function measure (request: WorstRequest, subject: Subject): Promise<Cost> {
  const { entry, file } = subject
  const script = fileURLToPath(new URL('subject.js', import.meta.url))
  const child = fork(script, [entry, file], {
    execArgv: ['--max-old-space-size=512'], stdio: ['ignore', 'ignore', 'ignore', 'ipc']
  })
  const [port] = await once(child, 'message') as [number]
  try {
    return await measureOn(child, `http://127.0.0.1:${port}`, request)
  } finally {
    child.kill('SIGKILL')
  }
}

async function measureOn (child: ChildProcess, url: string, request: WorstRequest): Promise<Cost> {
  const ofPage = await costOfPage(child, url)
  const before = await usageOf(child)
  const begun = performance.now()
  const beside = watchItem(url)
  const end = await Promise.race([send(url, request), sleep(limit, undefined, { ref: false })])
  const elapsed = performance.now() - begun
  const wait = beside.end()
  if (child.exitCode !== null || child.signalCode !== null || end === 'no answer') {
    return { end: 'the process ends', pages: elapsed / ofPage, isUnended: true, wait, memory: undefined }
  }
  if (end === undefined) {
    const usage = await Promise.race([usageOf(child), sleep(1000, undefined, { ref: false })])
    return { end: 'no end', pages: limit / ofPage, isUnended: true, wait, memory: usage?.rss }
  }
  const after = await usageOf(child)
  return { end, pages: (after.cpu - before.cpu) / ofPage, isUnended: false, wait, memory: after.rss }
}

/** Returns the CPU time of a page of 20 in milliseconds: the mean of 300 pages, after 300 to warm up. */
async function costOfPage (child: ChildProcess, url: string): Promise<number> {
  const count = 300
  for (let n = 0; n < count; n++) await send(url, page)
  const before = await usageOf(child)
  for (let n = 0; n < count; n++) await send(url, page)
  return ((await usageOf(child)).cpu - before.cpu) / count
}

interface Usage { readonly cpu: number, readonly rss: number }

async function usageOf (child: ChildProcess): Promise<Usage> {
  child.send('usage')
  const [usage] = await once(child, 'message') as [Usage]
  return usage
}

/** Sends a request and reads its answer to the end, without keeping it. */
async function send (url: string, { path, accept, query }: WorstRequest): Promise<string> {
  try {
    const response = await fetch(url + path, {
      method: query === undefined ? 'GET' : 'QUERY',
      headers: {
        ...accept !== undefined && { accept },
        ...query !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }
      },
      ...query !== undefined && { body: query }
    })
    if (!response.ok) return describeError(response.status, await response.text())
    let length = 0
    for await (const chunk of response.body ?? []) length += (chunk as Uint8Array).length
    return `${response.status}, ${(length / 1e6).toFixed(1)} MB`
  } catch {
    return 'no answer'
  }
}

function describeError (status: number, body: string): string {
  const { error, message } = JSON.parse(body) as { readonly error: string, readonly message: string }
  const bound = /limit '(\w+)'/.exec(message)?.[1] ?? /(\d+ (?:terms|comparisons))/.exec(message)?.[1]
  return `${status} \`${error}\`${bound === undefined ? '' : `: ${bound}`}`
}

/** Asks for an item again and again. `end` stops it and returns the longest time that an answer took. */
function watchItem (url: string): { end (): number } {
  const stop = new AbortController()
  let longest = 0
  let begun = performance.now()
  const ask = async () => {
    while (!stop.signal.aborted) {
      begun = performance.now()
      const response = await fetch(`${url}/parents/7?fields=id`, { signal: stop.signal })
      await response.text()
      longest = Math.max(longest, performance.now() - begun)
      await sleep(5)
    }
  }
  ask().catch(() => {})
  return {
    end () {
      // The answer that is still waited for.
      longest = Math.max(longest, performance.now() - begun)
      stop.abort()
      return longest
    }
  }
}
