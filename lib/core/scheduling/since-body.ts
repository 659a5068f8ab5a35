// What the application tells of a request is asked once, and is as old as that. A body may take its time to come.
const since = Symbol('fastify-data-api.since')

type Marked<Request extends object> = Request & { [since]?: object }

/**
 * Returns the object by which is kept what the application has told of a request: its facts about the caller, its
 * rules and scopes, its session. It is another one once the body of the request has come.
 */
export function keptBy (request: object): object {
  // A live document reads with requests that inherit from its own.
  return Object.hasOwn(request, since) ? (request as Marked<object>)[since] ?? request : request
}

/** Has the application asked again, as the body of a request has come. */
export function askAgain (request: object): void {
  (request as Marked<object>)[since] = {}
}
