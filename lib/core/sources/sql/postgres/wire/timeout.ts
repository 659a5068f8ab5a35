type Reject = (error: Error) => void

/**
 * Returns the response timeout of one connection: every caller that waits is rejected after that many milliseconds of
 * silence. `begin` adds a caller; the same function is given to `end`. The driver's own `query_timeout` sets a timer
 * for each statement, which keeps what the statement has read from being collected early: with it, pages of 20 rows
 * cost Node a quarter more. This is one timer for all statements.
 */
export function makeResponseTimeout (milliseconds: number) {
  const waiting = new Set<Reject>()
  const timer = setTimeout(() => {
    for (const reject of waiting) {
      reject(new Error(`query read timeout: the server has sent nothing for ${milliseconds} ms`))
    }
    waiting.clear()
  }, milliseconds)
  // The timer does not keep the process alive; the open connection does.
  timer.unref()
  return {
    begin (reject: Reject) {
      waiting.add(reject)
      timer.refresh()
    },
    end (reject: Reject) {
      waiting.delete(reject)
      if (waiting.size > 0) timer.refresh()
    }
  }
}
