import type { Result } from './connection.ts'
import type { DriverConnection, Submittable } from './driver.ts'

/** `name`: under which it is prepared on the connection; empty where it is not to be known again. `values` are as the protocol takes them. */
export interface Query { readonly name: string, readonly text: string, readonly values: ReadonlyArray<string | Buffer | null> }

/** `command`: the server's tag, such as `UPDATE 1`. */
export interface BatchResult extends Result { readonly command: string }

/**
 * Statements that the driver sends at once and the server answers at once, in the extended query protocol: one Sync stands behind all of them, so that an
 * error ends it for those behind as well. Columns are not asked for, which costs both sides more than a row does; values come as texts.
 */
export class Batch implements Submittable {
  readonly #queries: readonly Query[]
  readonly #closing: readonly string[]
  /** Of those that have been answered. What follows the last may still be an error: of the commit. */
  readonly results: BatchResult[] = []
  #rows: Array<readonly unknown[]> = []
  /** Whether anything went to the server. */
  sent = false
  /** Whether the first statement had been prepared before. */
  reused = false
  /** Called when all is answered, or will not be. The driver puts its own before it, to stop its clock. */
  callback: (error: Error | null) => void = () => {}

  /** `closing`: the names of prepared statements to close first. */
  constructor (queries: readonly Query[], closing: readonly string[]) {
    this.#queries = queries
    this.#closing = closing
  }

  get named (): boolean { return this.#queries.some(({ name }) => name !== '') }

  // The driver writes down what was prepared as the name and text of what is being answered.
  get name (): string | undefined { return this.#queries[this.results.length]?.name }
  get text (): string | undefined { return this.#queries[this.results.length]?.text }

  submit (connection: DriverConnection): null {
    this.sent = true
    this.reused = isPrepared(this.#queries[0]?.name ?? '', connection)
    connection.stream.cork()
    for (const name of this.#closing) close(name, connection)
    for (const { name, text, values } of this.#queries) {
      if (!isPrepared(name, connection)) connection.parse({ name, text })
      if (name !== '') connection.submittedNamedStatements[name] = text
      connection.bind({ statement: name, values })
      connection.execute({})
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  handleDataRow ({ fields }: { readonly fields: readonly unknown[] }): void { this.#rows.push(fields) }

  handleCommandComplete ({ text }: { readonly text: string }): void {
    this.results.push({ rows: this.#rows, count: countIn(text), command: text })
    this.#rows = []
  }

  handleReadyForQuery (): void { this.callback(null) }

  handleError (error: Error, connection: DriverConnection): void {
    // What was to be prepared behind the error was not.
    for (const { name } of this.#queries.slice(this.results.length)) delete connection.submittedNamedStatements[name]
    this.callback(error)
  }
}

/** Of a command's tag, such as `UPDATE 1`. */
const countIn = (tag: string) => Number(tag.slice(tag.lastIndexOf(' ') + 1))

const isPrepared = (name: string, { parsedStatements, submittedNamedStatements }: DriverConnection) =>
  name !== '' && (name in parsedStatements || name in submittedNamedStatements)

function close (name: string, connection: DriverConnection): void {
  delete connection.parsedStatements[name]
  connection.close({ type: 'S', name })
}
