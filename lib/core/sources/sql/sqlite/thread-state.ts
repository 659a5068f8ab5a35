/**
 * The state of a reading thread, which both sides see at once. A thread must not be ended in the middle of a statement:
 * a native driver that throws into a thread which is being terminated ends the whole process.
 */
export class ThreadState {
  readonly shared: SharedArrayBuffer
  readonly #state: Int32Array

  /** `shared`: the memory of the same state on the other side. Default: a state of its own. */
  constructor (shared = new SharedArrayBuffer(8)) {
    this.shared = shared
    this.#state = new Int32Array(shared)
  }

  /** Has the read that runs end at its next look at the clock, and every later one. */
  interrupt (): void {
    Atomics.store(this.#state, interrupted, 1)
  }

  isInterrupted (): boolean {
    return Atomics.load(this.#state, interrupted) === 1
  }

  /** Notes that a read was sent to the thread. */
  begin (): void {
    Atomics.store(this.#state, busy, 1)
  }

  /** Notes that the thread has ended a read. */
  finish (): void {
    Atomics.store(this.#state, busy, 0)
    Atomics.notify(this.#state, busy)
  }

  /** Waits until the thread has ended its read, for so many milliseconds at most. Nothing else runs meanwhile. */
  wait (milliseconds: number): void {
    Atomics.wait(this.#state, busy, 1, milliseconds)
  }
}

// The places of the two numbers in the shared memory.
const interrupted = 0
const busy = 1
