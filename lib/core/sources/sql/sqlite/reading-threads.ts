import { Worker } from 'node:worker_threads'
import { unavailable } from '../../../errors/errors.ts'
import { Overdue } from './clock.ts'
import type { Attached } from './attached.ts'
import type { SqliteDriverName } from './driver.ts'
import { TooLong } from './faults.ts'
import type { Sent } from './rows.ts'
import { ThreadState } from './thread-state.ts'

/** A statement that reads, for a thread. `limit`: how long it may take, in milliseconds. */
export interface ThreadRead extends Sent { readonly limit: number }

/** A message to a thread: a statement, or the word to close its connection and end. */
export type ThreadMessage = ThreadRead | 'close'

export type ThreadAnswer =
  | ThreadRows & { readonly kind: 'rows' }
  | { readonly kind: 'overdue' | 'too-long' }
  /** `facts`: the properties of the driver's error. */
  | { readonly kind: 'error', readonly message: string, readonly facts: Readonly<Record<string, unknown>> }

/** The rows of a statement. `milliseconds`: its duration, without the time that it waited for a thread. */
interface ThreadRows { readonly rows: ReadonlyArray<readonly unknown[]>, readonly milliseconds: number }

/** The facts that a thread needs to open its connection. */
export interface ThreadData {
  readonly file: string
  readonly driver: SqliteDriverName
  readonly readOnly: boolean
  /** In milliseconds. */
  readonly busyTimeout: number
  /** The most characters of the statements that are prepared. */
  readonly preparedCharacters: number
  readonly attached: readonly Attached[]
  /** The memory of the thread's state (thread-state.ts). */
  readonly state: SharedArrayBuffer
}

/** The same without the state, which each thread has of its own. */
type Opening = Omit<ThreadData, 'state'>

/** The most threads, and how long a read may wait for one, in milliseconds. */
interface ThreadLimits { readonly most: number, readonly queueTimeout: number }

/** Threads that run the reads that would hold up the event loop. */
export interface ReadingThreads {
  /**
   * Runs a statement in a thread, which sees all that was committed before. Throws `unavailable` if no thread is free
   * in time, Overdue, TooLong, or the driver's error.
   */
  read (asked: ThreadRead): Promise<ThreadRows>
  /** Ends the threads, and waits for the statements that they run. Reads that run or wait are `unavailable`. */
  close (): void
}

interface Job {
  readonly asked: ThreadRead
  resolve (read: ThreadRows): void
  reject (error: unknown): void
}

/** Returns threads that are started when they are first needed; `data` is called for each. */
export const makeReadingThreads = (data: () => Opening, limits: ThreadLimits): ReadingThreads =>
  new ThreadPool(data, limits)

class ThreadPool implements ReadingThreads {
  private readonly data: () => Opening
  private readonly limits: ThreadLimits
  private readonly threads = new Set<Thread>()
  private readonly waiting = new Set<Job>()

  constructor (data: () => Opening, limits: ThreadLimits) {
    this.data = data
    this.limits = limits
  }

  read (asked: ThreadRead): Promise<ThreadRows> {
    return new Promise((resolve, reject) => {
      const job = { asked, resolve, reject }
      const thread = this.freeThread()
      if (thread === undefined) this.wait(job)
      else thread.run(job)
    })
  }

  close (): void {
    const closed = unavailable(new Error('the database was closed'))
    const jobs = [...this.waiting]
    this.waiting.clear()
    for (const job of jobs) job.reject(closed)
    const threads = [...this.threads]
    for (const thread of threads) thread.end(closed)
    // The main connection cannot write the log to the file while a thread does so.
    for (const thread of threads) thread.wait()
  }

  private freeThread (): Thread | undefined {
    for (const thread of this.threads) if (thread.isFree()) return thread
    if (this.threads.size >= this.limits.most) return undefined
    const thread = startThread(this.data(), () => { this.runNext(thread) }, () => {
      this.threads.delete(thread)
      const other = this.waiting.size > 0 ? this.freeThread() : undefined
      if (other !== undefined) this.runNext(other)
    })
    this.threads.add(thread)
    return thread
  }

  private runNext (thread: Thread): void {
    const [job] = this.waiting
    if (job === undefined) return
    this.waiting.delete(job)
    thread.run(job)
  }

  private wait (asked: Job): void {
    const { most, queueTimeout } = this.limits
    const timer = setTimeout(() => {
      this.waiting.delete(job)
      asked.reject(unavailable(new Error(`waited ${queueTimeout} ms for one of ${most} threads: all run long reads`)))
    }, queueTimeout)
    const settle = <T>(pass: (value: T) => void) => (value: T) => {
      clearTimeout(timer)
      pass(value)
    }
    const job = { asked: asked.asked, resolve: settle(asked.resolve), reject: settle(asked.reject) }
    this.waiting.add(job)
  }
}

interface Thread { isFree (): boolean, run (job: Job): void, end (error: Error): void, wait (): void }

// A compiled package holds `.js` alone. In the sources, a loader that knows TypeScript reads `.ts`.
const program = new URL(`./reading-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)

/** Starts a thread. `onFree`: called after each job. `onEnd`: called once the thread takes no more jobs. */
function startThread (opening: Opening, onFree: () => void, onEnd: () => void): Thread {
  const state = new ThreadState()
  const worker = new Worker(program, { workerData: { ...opening, state: state.shared } satisfies ThreadData })
  register(state, worker)
  let current: Job | undefined
  let ending = false
  const settle = (pass: (job: Job) => void) => {
    const job = current
    current = undefined
    // An idle thread does not keep the process alive, unless it is to close its connection.
    if (!ending) worker.unref()
    if (job !== undefined) pass(job)
  }
  const end = (error: unknown) => {
    onEnd()
    settle(job => { job.reject(error) })
  }
  worker.on('message', (answer: ThreadAnswer) => {
    settle(job => { settleJob(job, answer) })
    onFree()
  })
  worker.on('error', end)
  worker.on('exit', () => { end(new Error('the reading thread has ended')) })
  return {
    isFree: () => current === undefined,
    run (job) {
      current = job
      worker.ref()
      state.begin()
      worker.postMessage(job.asked satisfies ThreadMessage)
    },
    end (error) {
      ending = true
      end(error)
      state.interrupt()
      // Not every driver closes the connection of a thread that is terminated.
      worker.ref()
      worker.postMessage('close' satisfies ThreadMessage)
    },
    wait () { state.wait(longestWait) }
  }
}

// In milliseconds.
const longestWait = 1000

/** The states of the threads of this process. */
const states = new Set<ThreadState>()

function register (state: ThreadState, worker: Worker): void {
  if (!process.listeners('exit').includes(endReads)) process.on('exit', endReads)
  states.add(state)
  worker.once('exit', () => { states.delete(state) })
}

/** Ends the reads in all threads: at its exit the process terminates threads, whatever they do. */
function endReads (): void {
  for (const state of states) state.interrupt()
  for (const state of states) state.wait(longestWait)
}

function settleJob ({ asked, resolve, reject }: Job, answer: ThreadAnswer): void {
  switch (answer.kind) {
    case 'rows': return resolve(answer)
    case 'overdue': return reject(new Overdue(asked.limit))
    case 'too-long': return reject(new TooLong(asked.longest))
    case 'error': return reject(Object.assign(new Error(answer.message), answer.facts))
  }
}
