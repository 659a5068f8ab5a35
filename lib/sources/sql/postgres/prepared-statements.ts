import { hash } from 'node:crypto'
import { LruMap } from 'toad-cache'

/**
 * The statements that are prepared on one connection: a cache of the texts used last. The server keeps the plan of each, some 20 times the text's
 * length in memory, for as long as the connection lasts; clients choose the texts, so what is evicted here is closed there.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>()
  #length = 0
  #closing: string[] = []

  /** The name under which the text is prepared; empty for one that is sent whole. */
  nameOf (text: string): string {
    const known = this.#names.get(text)
    if (known !== undefined) {
      // A Map iterates in the order of insertion: the text used last stands last.
      this.#names.delete(text)
      this.#names.set(text, known)
      return known
    }
    const name = text.length > longestText ? '' : repeatedName(text)
    if (name !== '') this.#add(text, name)
    return name
  }

  /** Has the statement prepared anew when it is used next, after a migration made its plan invalid. */
  forget (text: string): void {
    const name = this.#names.get(text)
    if (name === undefined) return
    this.#names.delete(text)
    this.#length -= text.length
    this.#closing.push(name)
  }

  /** The names to close on the server before anything else is sent. */
  takeClosing (): readonly string[] {
    if (this.#closing.length === 0) return none
    const closing = this.#closing
    this.#closing = []
    return closing
  }

  #add (text: string, name: string): void {
    this.#names.set(text, name)
    this.#length += text.length
    for (const oldest of this.#names.keys()) {
      if (this.#length <= mostCharacters) return
      this.forget(oldest)
    }
  }
}

const none: readonly string[] = []

// Of all texts of a connection, in characters: some 5 MB of the server's memory, and hundreds of statements of ordinary length.
const mostCharacters = 250_000
const longestText = 25_000

/** The names of texts that were used at least once by this process; empty for one that was used once. */
const used = new LruMap<string>(2000)

/** A text gets a name when it is used again: most of the texts that clients make up are never seen twice. */
function repeatedName (text: string): string {
  const known = used.get(text)
  if (known !== undefined && known !== '') return known
  // By content, so that behind a pooler that mixes connections up one name never means two texts.
  const name = known === undefined ? '' : `data_api_${hash('sha1', text, 'hex').slice(0, 20)}`
  used.set(text, name)
  return name
}
