import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Caller } from 'fastify-data-api'
import type { declareDesk } from './collections.ts'
import { isPassword } from './passwords.ts'

// Who the caller is. A token names a session, which can be revoked. What its person may do is asked of the database at
// each request: who loses a right loses it at once.

declare module '@fastify/jwt' {
  interface FastifyJWT { user: Caller & { readonly session: string } }
}
declare module 'fastify' {
  interface FastifyContextConfig { public?: boolean }
}

type Collections = ReturnType<typeof declareDesk>

/** `lifetime`: of a token and its session, in seconds. `logins`: how often an address may log in per minute. */
interface SessionOptions {
  readonly secret: string
  readonly lifetime: number
  readonly logins: number
}

/** Verifies the token of each request but those to public routes: a header, or the cookie of a login. */
export async function verifyTokens (
  app: FastifyInstance, { sessions, people }: Collections, { secret }: SessionOptions
): Promise<void> {
  await app.register(cookie)
  await app.register(jwt, { secret, cookie: { cookieName: 'token', signed: false } })
  app.addHook('onRequest', async request => {
    // A preflight has no token.
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    if (isPreflight || request.routeOptions.config.public === true) return
    const { session } = await request.jwtVerify<{ session: string }>()
    const system = app.dataApi.asSystem()
    const found = await system.collection(sessions).find(session)
    const person = found && await system.collection(people).find(found.personId)
    if (person === undefined) throw unauthorized('The session has ended. Log in again.')
    const { id, name, role, tenantId: tenant } = person
    request.user = { id, name, role, tenant, session }
  })
}

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
