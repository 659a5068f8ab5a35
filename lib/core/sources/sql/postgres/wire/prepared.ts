import crypto from 'node:crypto'
import { LruMap } from 'toad-cache'

/**
 * The statements that are prepared on one connection: an LRU cache from texts to names. For each of them the server
 * keeps a plan as long as the connection lasts, which takes some 20 times the text's length in memory. Clients choose
 * the texts, so the cache is bounded, and a statement that is evicted here is closed on the server.
 */
export class PreparedStatements {
  readonly #characters: number
  readonly #names = new Map<string, string>()
  #length = 0
  #closing: string[] = []

  /** `characters`: the most of all texts together. */
  constructor (characters: number) {
    this.#characters = characters
  }

  /** Returns the name under which the text is prepared; an empty string for a text that is sent without a name. */
  nameOf (text: string): string {
    const cached = this.#names.get(text)
    if (cached !== undefined) {
      // A Map iterates in the order of insertion: the text used last goes to the end.
      this.#names.delete(text)
      this.#names.set(text, cached)
      return cached
    }
    const name = text.length > this.#characters / 10 ? '' : repeatedName(text)
    if (name !== '') this.#add(text, name)
    return name
  }

  /** Removes a text, whose statement is then closed and prepared anew: a migration made its plan invalid. */
  forget (text: string): void {
    const name = this.#names.get(text)
    if (name === undefined) return
    this.#names.delete(text)
    this.#length -= text.length
    this.#closing.push(name)
  }

  /** Returns the names to close on the server before anything else is sent, once each. */
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
      if (this.#length <= this.#characters) return
      this.forget(oldest)
    }
  }
}

const none: readonly string[] = []

/** The names of the texts that this process has used; an empty string for a text used once. */
const names = new LruMap<string>(2000)

/**
 * Returns a text's name from its second use on, and an empty string at its first: most texts that clients make up are
 * never used twice.
 */
function repeatedName (text: string): string {
  const known = names.get(text)
  if (known !== undefined && known !== '') return known
  // The name is a hash of the text, so that one name never means two texts behind a pooler that mixes up connections.
  const name = known === undefined ? '' : `data_api_${crypto.hash('sha1', text, 'hex').slice(0, 20)}`
  names.set(text, name)
  return name
}
