import { Type } from '@sinclair/typebox'
import type { AnyContext, Context } from '../../../declare/collection.ts'
import { type DataApiError, DeclarationError, describeValue, forbidden, internal } from '../../../errors/errors.ts'
import { refusedByRule, unauthorized } from '../../../errors/rejections.ts'
import { compileCheck } from '../../../model/check.ts'
import { keptBy } from '../../../scheduling/since-body.ts'
import type { Connection, Statement } from './wire/connection.ts'
import { faultOf, isPrivilegeMissing, sqlState } from './faults.ts'

/** The role and the settings under which the statements of one request run (docs/rules.md: Row-level security). */
export interface SessionSettings {
  /** A role that the connection's own role may assume. Default: the connection's own role. */
  readonly role?: string
  /** The application's own settings: their names have a dot, such as `request.jwt.claims`. Default none. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Returns the session of a request. It is asked once a request, and again when its body has come, as rules are. */
export type SessionOf = (context: Context) => SessionSettings

/** The session of a request, as the statement with which each of its transactions begins. */
export interface RequestSession extends Pick<Statement, 'text' | 'values'> {
  /** Equal for equal sessions. */
  readonly key: string
  readonly assumesRole: boolean
  /** Returns the error for a statement that the role has no privilege for. */
  denied (cause: unknown): DataApiError
}

/**
 * Returns a function that asks the application for the session of a request, once; undefined outside of a request. It
 * throws a DeclarationError for a session that has another form, and so does this function for what is no function.
 */
export function askSession (sessionOf: SessionOf): (context: AnyContext) => RequestSession | undefined {
  if (typeof sessionOf !== 'function') {
    throw new DeclarationError(`option 'session': must be a function; found ${describeValue(sessionOf)}`)
  }
  const sessions = new WeakMap<object, RequestSession>()
  return context => {
    if (context.request === undefined) return undefined
    const keeper = keptBy(context.request)
    const session = sessions.get(keeper) ?? sessionFrom(asked(sessionOf, context), context)
    sessions.set(keeper, session)
    return session
  }
}

/** Throws the error with which the application rejects the caller, as a rule does, as ours. */
function asked (sessionOf: SessionOf, context: Context): SessionSettings {
  try {
    return sessionOf(context)
  } catch (error) {
    throw refusedByRule(error) ?? error
  }
}

function sessionFrom (given: SessionSettings, { caller }: Context): RequestSession {
  if (given instanceof Promise) {
    // Its rejection would end the process.
    given.catch(() => {})
    throw new DeclarationError("option 'session', its result: is a promise; wait for it in a hook of the application")
  }
  checkSession(given, path => `option 'session', its result${path === '' ? '' : `, '${path}'`}`)
  const { role, settings = {} } = given
  const values = [...role === undefined ? [] : ['role', role], ...Object.entries(settings).flat()]
  const calls = values.flatMap((_one, index) => index % 2 === 0 ? `set_config($${index + 1}, $${index + 2}, true)` : [])
  return {
    text: `select ${calls.join(', ')}`,
    values,
    key: JSON.stringify(values),
    assumesRole: role !== undefined,
    denied: cause => caller === undefined ? unauthorized(cause) : forbidden(cause)
  }
}

/**
 * Returns the connection for one session: every transaction on it begins with the session, and so does every statement
 * outside of one. The settings are local to the transaction, so nothing of them remains on the connection.
 */
export function inSession (connection: Connection, session: RequestSession): Connection {
  let isBegun = false
  return {
    query: (text, values) => connection.query(text, values),
    run: (...texts) => connection.run(...texts),
    async begin () {
      isBegun = true
      await beginSession(connection, session)
    },
    prepared: (statement, isAbandoned) =>
      connection.prepared(isBegun ? statement : { ...statement, session }, isAbandoned).catch(deniedIn(session)),
    commit: () => connection.commit(),
    isGone: () => connection.isGone(),
    isSpent: () => connection.isSpent(),
    raised: error => connection.raised(error)
  }
}

/** Begins a transaction with the session. Where the database refuses the session, none is begun. */
export async function beginSession (connection: Connection, { text, values }: RequestSession): Promise<void> {
  await connection.begin()
  try {
    await connection.query(text, values)
  } catch (error) {
    if (!connection.isGone()) await connection.run('rollback')
    throw refusedSession(error) ?? error
  }
}

/** Returns a function that throws our error for a missing privilege of the session's role, and any other unchanged. */
export const deniedIn = ({ denied }: RequestSession) => (error: unknown): never => {
  throw isPrivilegeMissing(error) ? denied(error) : error
}

/**
 * Returns our error for a session that the database refuses, as its role is unknown or may not be assumed; undefined
 * for an error of another kind.
 */
export function refusedSession (error: unknown): DataApiError | undefined {
  const { passing, repeat } = faultOf(error)
  if (!(error instanceof Error) || sqlState(error) === '' || passing === true || repeat !== undefined) return undefined
  return internal(new Error(`the database refused what option 'session' returned: ${error.message}`))
}

const checkSession = compileCheck(Type.Object({
  role: Type.Optional(Type.String({ minLength: 1 })),
  settings: Type.Optional(
    Type.Record(Type.String({ pattern: '^[^.]+[.]' }), Type.String(), { additionalProperties: false })
  )
}))
