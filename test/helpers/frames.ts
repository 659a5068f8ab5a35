/**
 * Splits a stream of PostgreSQL's protocol into whole messages (PostgreSQL's documentation: Message Formats).
 *
 * @param typed 1 where each message begins with its type; 0 for the first messages of a connection, which have no type.
 * @param take The callback for each message; `type` is its first byte as a character.
 * @returns A function to call with each chunk of the stream.
 */
export function messages (typed: 0 | 1, take: (message: Buffer, type: string) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return data => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data])
    while (rest.length >= typed + 4) {
      const length = typed + rest.readUInt32BE(typed)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      take(message, String.fromCharCode(message[0] ?? 0))
    }
  }
}
