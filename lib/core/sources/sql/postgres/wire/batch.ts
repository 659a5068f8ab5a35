import type { StatementResult } from './connection.ts'
import type { DriverConnection, Submittable } from '../driver.ts'

/**
 * A statement of a batch. `name`: the prepared statement's name on the connection; empty for a statement that is not
 * kept. `values`: in the protocol's form.
 */
interface Query {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<string | Buffer | null>
}

/** `command`: the server's command tag, such as `UPDATE 1`. */
export interface BatchResult extends StatementResult { readonly command: string }

/**
 * Statements that go to the server in one packet and are answered in one, in the extended query protocol. One Sync
 * follows all of them, so an error also ends the statements after it. The batch does not ask for the description of the
 * columns, which costs both sides more than a row does; values arrive as texts.
 */
export class StatementBatch implements Submittable {
  readonly #queries: readonly Query[]
  readonly #closing: readonly string[]
  readonly #longest: number
  /** The results of the statements answered so far. An error may still follow the last one: the error of the commit. */
  readonly results: BatchResult[] = []
  #rows: Array<readonly unknown[]> = []
  /** The bytes of all rows. Beyond `longest`, rows are dropped as they arrive. */
  length = 0
  /** Is true once the driver has begun to send the batch. */
  sent = false
  /** Is true where the last statement had been prepared before. */
  reused = false
  /**
   * Called once: after the last answer, or with the error after which no answer follows. The driver wraps it, to stop
   * its own timer.
   */
  callback: (error: Error | null) => void = () => {}

  /** `closing`: the names of the prepared statements to close first. `longest`: the most bytes of all rows to keep. */
  constructor (queries: readonly Query[], closing: readonly string[], longest = Infinity) {
    this.#queries = queries
    this.#closing = closing
    this.#longest = longest
  }

  /** Is true where at least one statement is prepared under a name. */
  get named (): boolean { return this.#queries.some(({ name }) => name !== '') }

  // The driver reads name and text when the server reports a statement as parsed, and records the statement under them.
  get name (): string | undefined { return this.#queries[this.results.length]?.name }
  get text (): string | undefined { return this.#queries[this.results.length]?.text }

  submit (connection: DriverConnection): null {
    this.sent = true
    this.reused = isPrepared(this.#queries.at(-1)?.name ?? '', connection)
    connection.stream.cork()
    for (const name of this.#closing) closeStatement(name, connection)
    for (const { name, text, values } of this.#queries) {
      if (!isPrepared(name, connection)) {
        connection.parse({ name, text })
        // The driver takes it out when the server reports the statement as parsed.
        if (name !== '') connection.submittedNamedStatements[name] = text
      }
      connection.bind({ statement: name, values })
      connection.execute({})
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  handleDataRow ({ fields, length }: { readonly fields: readonly unknown[], readonly length: number }): void {
    this.length += length
    if (this.length <= this.#longest) this.#rows.push(fields)
    else this.#rows.length = 0
  }

  handleCommandComplete ({ text }: { readonly text: string }): void {
    this.results.push({ rows: this.#rows, count: countIn(text), command: text })
    this.#rows = []
  }

  handleReadyForQuery (): void { this.callback(null) }

  handleError (error: Error, connection: DriverConnection): void {
    // The server did not prepare the statements after the error.
    for (const { name } of this.#queries.slice(this.results.length)) delete connection.submittedNamedStatements[name]
    this.callback(error)
  }
}

/** Returns the number of rows in a command tag such as `UPDATE 1`. */
const countIn = (tag: string) => Number(tag.slice(tag.lastIndexOf(' ') + 1))

const isPrepared = (name: string, { parsedStatements, submittedNamedStatements }: DriverConnection) =>
  name !== '' && (name in parsedStatements || name in submittedNamedStatements)

function closeStatement (name: string, connection: DriverConnection): void {
  delete connection.parsedStatements[name]
  delete connection.submittedNamedStatements[name]
  connection.close({ type: 'S', name })
}
