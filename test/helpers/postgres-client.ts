import pg from 'pg'

/**
 * Returns a client of a server that may be struck at any time. If its connection ends, its statement fails, and so does
 * the next one; without the listener, that would end the whole process.
 */
export function clientOf (url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  return client
}
