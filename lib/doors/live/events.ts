/** Returns the text of an event (WHATWG HTML, 9.2: Server-sent events). `data` is JSON, and so one line. */
export const eventOf = (event: 'snapshot' | 'patch' | 'end', data: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

/** A comment, which keeps a connection open. */
export const heartbeat = ':\n\n'

/** Returns the line that says when to connect again, at random: many clients may lose a server at the same time. */
export const retryLine = (): string => `retry: ${1000 + Math.floor(Math.random() * 4000)}\n\n`
