/**
 * Returns the parts of an answer's text, each of which ends with `end`. Throws if the text breaks off in one, and ends
 * after a silence of so many milliseconds.
 */
export async function * textParts (
  response: Response, end: string, silence = 0
): AsyncGenerator<string, void, undefined> {
  const reader = (response.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
  // The error of an answer that broke off is thrown already.
  const cancel = () => { reader.cancel().catch(() => {}) }
  let timer: ReturnType<typeof setTimeout> | undefined
  let rest = ''
  try {
    for (;;) {
      if (silence) timer = setTimeout(cancel, silence)
      const { value } = await reader.read()
      clearTimeout(timer)
      if (!value) break
      const parts = (rest + value).split(end)
      rest = parts.pop() as string
      yield * parts
    }
    if (rest) throw new TypeError(rest)
  } finally {
    clearTimeout(timer)
    cancel()
  }
}
