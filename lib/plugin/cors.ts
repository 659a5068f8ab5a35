import type { FastifyInstance } from 'fastify'

/**
 * The options of @fastify/cors, but for `origin`, with which clients do on another origin what they do on their own
 * (docs/running.md: Browsers).
 */
export const corsOptions = Object.freeze({
  methods: frozen(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']),
  allowedHeaders: frozen([
    'Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Prefer', 'Idempotency-Key', 'Last-Event-ID',
    'X-HTTP-Method-Override'
  ]),
  exposedHeaders: frozen([
    'Allow', 'Content-Location', 'ETag', 'Idempotency-Key', 'Link', 'Location', 'Preference-Applied', 'Retry-After',
    'X-Total-Count'
  ]),
  // OPTIONS comes to the API, of which clients ask what it takes.
  strictPreflight: false,
  preflightContinue: true
})

/** The types of @fastify/cors are those of arrays that may change. */
function frozen (names: string[]): string[] {
  Object.freeze(names)
  return names
}

/** Warns, once the application is ready, if @fastify/cors answers the OPTIONS that clients send to the API. */
export function warnOfCors (scope: FastifyInstance): void {
  scope.addHook('onReady', done => {
    // An application that closes at once answers nothing.
    if (hasCors(scope)) askOptions(scope).catch(() => {})
    done()
  })
}

/** An instance does not know the plugins that an enclosing one has registered later. */
function hasCors (scope: FastifyInstance): boolean {
  for (let one: Partial<FastifyInstance> = scope; one.hasPlugin; one = Object.getPrototypeOf(one) as typeof one) {
    if (one.hasPlugin('@fastify/cors')) return true
  }
  return false
}

/** Fastify sends the request once all hooks of `onReady` are done: none may wait for it. */
async function askOptions (scope: FastifyInstance): Promise<void> {
  // A limit of requests counts none of a client's.
  const asked = { method: 'OPTIONS', url: scope.prefix || '/', remoteAddress: '0.0.0.0' } as const
  const { statusCode, headers } = await scope.inject(asked)
  const isAnswered = statusCode >= 200 && statusCode < 300
  if (statusCode !== 400 && !(isAnswered && headers.allow === undefined)) return
  scope.log.warn("OPTIONS does not reach the API: register @fastify/cors with the 'corsOptions' of fastify-data-api")
}
