// The types of the parts of autocannon that the benchmarks use; the package has none.
declare module 'autocannon' {
  export interface Request {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }

  export interface Client { setRequests (requests: readonly Request[]): void }

  export interface Options {
    readonly url: string
    readonly connections: number
    /** In seconds. */
    readonly duration: number
    /** The interval in milliseconds at which it checks the end of the duration. */
    readonly sampleInt: number
    readonly requests: readonly Request[]
    readonly setupClient?: (client: Client) => void
  }

  export interface Result {
    readonly requests: { readonly total: number }
    /** In milliseconds. */
    readonly latency: { readonly p50: number, readonly p99: number, readonly max: number }
    readonly '2xx': number
    readonly non2xx: number
    readonly errors: number
    readonly start: Date
    readonly finish: Date
  }

  export default function autocannon (options: Options): Promise<Result>
}
