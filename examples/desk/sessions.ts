import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Caller } from 'fastify-data-api'
import { isDeepStrictEqual } from 'node:util'
import type { declareDesk } from './collections.ts'
import { isPassword } from './passwords.ts'

// Who the caller is. A token names a session, which can be revoked. What its person may do is asked of the database at
// each request: who loses a right loses it at once.

declare module '@fastify/jwt' {
  interface FastifyJWT { user: Caller & Session }
}
declare module 'fastify' {
  interface FastifyContextConfig { public?: boolean }
}

type Collections = ReturnType<typeof declareDesk>

interface Session {
  readonly session: string
  /** A stream lives longer than the hook: rules ask this. Rejects with 401 once the session or the person changes. */
  isCurrent (): Promise<boolean>
}

/** Finds the person of a session that has not ended. */
export type FindCaller = (session: string) => Promise<Caller | undefined>

/** `lifetime`: of a token and its session, in seconds. `logins`: how often an address may log in per minute. */
interface SessionOptions {
  readonly secret: string
  readonly lifetime: number
  readonly logins: number
  /** Default: by the tables. A proof, whose tables are throw-away ones, knows its callers. */
  readonly findCaller?: FindCaller | undefined
}

/** Verifies the token of each request but those to public routes: a header, or the cookie of a login. */
export async function verifyTokens (
  app: FastifyInstance, collections: Collections, { secret, findCaller = findIn(app, collections) }: SessionOptions
): Promise<void> {
  await app.register(cookie)
  await app.register(jwt, { secret, cookie: { cookieName: 'token', signed: false } })
  app.addHook('onRequest', async request => {
    // A preflight has no token.
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (isPreflight || request.routeOptions.config.public === true) return
    const { session } = await request.jwtVerify<{ session: string }>()
    const caller = await findCaller(session)
    if (caller === undefined) throw unauthorized(ended)
    let asked = Date.now()
    let answer = Promise.resolve(true)
    const check = async () => {
      if (!isDeepStrictEqual(await findCaller(session), caller)) throw unauthorized(ended)
      return true
    }
    // All rules of one read wait for one answer.
    const isCurrent = async () => {
      if (Date.now() - asked < 1000) return answer
      asked = Date.now()
      answer = check()
      return answer
    }
    request.user = { ...caller, session, isCurrent }
  })
}

const findIn = (app: FastifyInstance, { sessions, people }: Collections): FindCaller => async session => {
  const system = app.dataApi.asSystem()
  const found = await system.collection(sessions).find(session)
  if (found === undefined || Date.parse(found.expiresAt) < Date.now()) return undefined
  const { id, name, role, tenantId: tenant } = await system.collection(people).get(found.personId)
  return { id, name, role, tenant }
}

const ended = 'The session has ended. Log in again.'
const unauthorized = (message: string) => Object.assign(new Error(message), { statusCode: 401 })

const Credentials = Type.Object({ email: Type.String(), password: Type.String() })
interface Login { Body: { email: string, password: string }, Querystring: { next?: string } }

const form = 'application/x-www-form-urlencoded'
const page = `<!doctype html><html lang="en"><title>Log in</title><h1>Log in</h1><form method="post">
<p><label>Email <input name="email" type="email" required></label>
<p><label>Password <input name="password" type="password" required></label><p><button>Log in</button></form>`

/** Adds the routes to log in and out: programs get a token, and the form of the explorer a cookie. */
export async function addLogin (
  app: FastifyInstance, collections: Collections, options: SessionOptions
): Promise<void> {
  const { sessions, people } = collections
  const system = app.dataApi.asSystem()
  const open = { config: { public: true, rateLimit: { max: options.logins } } }

  const openSession = async (personId: number) => {
    const now = Date.now()
    await system.collection(sessions).deleteMany({ personId, expiresAt: { lt: new Date(now) } })
    const { id } = await system.collection(sessions).create({
      createdAt: new Date(now), expiresAt: new Date(now + options.lifetime * 1000), personId
    })
    return app.jwt.sign({ session: id }, { expiresIn: options.lifetime })
  }

  app.get('/login', { config: { public: true } }, async (_request, reply) => reply.type('text/html').send(page))
  // Forms are for this route alone: the API has a parser of its own.
  await app.register(async app => {
    app.addContentTypeParser(form, { parseAs: 'string' }, async (_: unknown, body: string) =>
      Object.fromEntries(new URLSearchParams(body)))
    app.post<Login>('/login', { ...open, schema: { body: Credentials } }, async ({ body, headers, query }, reply) => {
      const person = await system.collection(people).find({ email: body.email })
      const isRight = await isPassword(body.password, person?.passwordHash)
      if (!isRight || person === undefined) throw unauthorized('The email or the password is wrong.')
      const token = await openSession(person.id)
      const { id, name, role } = person
      if (headers['content-type'] !== form) return { token, person: { id, name, role } }
      const { next = '/' } = query
      reply.setCookie('token', token, { httpOnly: true, secure: 'auto', sameSite: 'lax', path: '/' })
      return reply.redirect(/^\/(?!\/)/.test(next) ? next : '/', 303)
    })
  })
  app.post('/logout', async (request, reply) => {
    await app.dataApi.as(request).collection(sessions).delete(request.user.session)
    return reply.clearCookie('token', { path: '/' }).code(204).send()
  })
}
