import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeProxy } from '../../examples/desk/proxy.ts'
import { root } from '../helpers/documents.ts'
import { withoutRunner } from '../helpers/on-socket.ts'
import { folder, run, tarball } from '../helpers/packed.ts'
import { freePort } from '../helpers/postgres-binaries.mjs'

// examples/desk as its users have it: the package from its tarball, the pages on one origin, the API on another, behind
// a proxy, in a process of its own.

/** The password of everybody. */
export const password = 'correct horse battery'

const here = fileURLToPath(new URL('examples/desk', root))

/** A text that is replaced in a copy of the desk. It must be there once. */
export interface Replacement {
  /** A path in the folder of the desk; the scripts of the package, whose names change, where there is none. */
  readonly file?: string
  readonly text: string
  readonly fault: string
}

/** Copies a program, and gives it the packages of a folder, but for this one, which is that of the tarball. */
function copy (from: string, to: string, packages: string): void {
  mkdirSync(join(to, 'node_modules'), { recursive: true })
  for (const name of readdirSync(from).filter(name => !['node_modules', 'dist', 'web'].includes(name))) {
    cpSync(join(from, name), join(to, name), { recursive: true })
  }
  for (const name of readdirSync(packages).filter(name => !/^\.|^fastify-data-api$/.test(name))) {
    symlinkSync(join(packages, name), join(to, 'node_modules', name))
  }
}

/** The sources of the pages. */
const source = join(here, 'web')

/** Copies the desk, with its pages and the package. Returns its folder. */
async function makeProject (replacements: readonly Replacement[]): Promise<string> {
  const project = mkdtempSync(join(folder, 'desk-'))
  if (!existsSync(join(source, 'node_modules/.package-lock.json'))) {
    await run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', source])
  }
  copy(here, project, fileURLToPath(new URL('node_modules', root)))
  copy(source, join(project, 'web'), join(source, 'node_modules'))
  const own = join(project, 'node_modules/fastify-data-api')
  mkdirSync(own)
  await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1'])
  symlinkSync(own, join(project, 'web/node_modules/fastify-data-api'))
  const scripts = readdirSync(join(own, 'dist/lib'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js')).map(name => join(own, 'dist/lib', name))
  for (const { file, text, fault } of replacements) {
    const files = file === undefined ? scripts : [join(project, file)]
    const [first = '', ...others] = files.filter(one => readFileSync(one, 'utf8').includes(text))
    const parts = first === '' ? [] : readFileSync(first, 'utf8').split(text)
    if (parts.length !== 2 || others.length > 0) throw new Error(`the desk does not have this text once: ${text}`)
    writeFileSync(first, parts.join(fault))
  }
  return project
}

/** Builds the pages, for a server at that URL. Returns their folder. */
async function buildPages (project: string, server: string): Promise<string> {
  const web = join(project, 'web')
  const env = { ...withoutRunner.env, VITE_SERVER: server, NODE_ENV: 'production' }
  await run(process.execPath, [join(source, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'], {
    cwd: web, env, maxBuffer: Infinity
  })
  return join(web, 'dist')
}

/** The pages, and the server behind its proxy. */
export interface Desk {
  /** The origin of the pages. */
  readonly pages: string
  /** The URL of the proxy. */
  readonly server: string
  /** Starts the server, with these variables of its environment. */
  start (env: NodeJS.ProcessEnv): Promise<void>
  /** Kills the server, and starts it again with the same variables and these. */
  restart (env?: NodeJS.ProcessEnv): Promise<void>
  kill (): Promise<void>
  /** Sends a request as one of the people; `who` is the first part of an address, such as `ada@acme`. */
  as (who: string): Promise<Caller>
  close (): Promise<void>
}

/** The session of a person, as the login returns it, and a function that asks the API. */
export interface Caller {
  readonly session: { readonly token: string, readonly person: { readonly id: number, readonly name: string } }
  ask (method: string, path: string, body?: unknown): Promise<{ readonly status: number, readonly body: never }>
}

export async function openDesk (replacements: readonly Replacement[] = []): Promise<Desk> {
  const project = await makeProject(replacements)
  const port = await freePort()
  const proxy = makeProxy(() => `http://127.0.0.1:${port}`)
  const server = await listen(proxy)
  const dist = await buildPages(project, server)
  const site = createServer(({ url = '' }, reply) => { reply.writeHead(200, typeOf(url)).end(fileOf(dist, url)) })
  const pages = await listen(site)
  const callers = new Map<string, Promise<Caller>>()
  let child: ChildProcess | undefined
  let started: NodeJS.ProcessEnv = {}

  const desk: Desk = {
    pages,
    server,
    async start (env) {
      started = env
      callers.clear()
      await desk.restart()
    },
    async restart (env = {}) {
      await desk.kill()
      child = await serve(project, { PORT: String(port), WEB_ORIGIN: pages, ...started, ...env })
    },
    async kill () {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    as (who) {
      const caller = callers.get(who) ?? logIn(server, `${who}.example`)
      callers.set(who, caller)
      return caller
    },
    async close () {
      await desk.kill()
      for (const one of [proxy, site]) {
        one.closeAllConnections()
        one.close()
      }
    }
  }
  return desk
}

async function listen (server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const types: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' }
const typeOf = (url: string) => ({ 'content-type': types[extname(url)] ?? 'text/html' })

/** A path that ends in a slash is a page. */
const fileOf = (dist: string, url: string) =>
  readFileSync(join(dist, new URL(url, 'http://a').pathname.replace(/\/$/, '/index.html')))

const settings = { JWT_SECRET: 'x'.repeat(32), SEED_PASSWORD: password, FILES: 'files', PROXIES: '127.0.0.1' }

/** Starts the server in the folder of the desk. Resolves when it listens. */
async function serve (project: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...withoutRunner.execArgv, 'server.ts'], {
    cwd: project, env: { ...withoutRunner.env, ...settings, ...env }, stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines = createInterface(child.stdout)
  const ended = once(child, 'exit').then(() => { throw new Error('the server ended before it served') })
  await Promise.race([once(lines, 'line'), ended])
  ended.catch(() => {})
  return child
}

async function logIn (server: string, email: string): Promise<Caller> {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(server + path, {
      method,
      headers: { ...body !== undefined && { 'content-type': 'application/json' }, ...headers },
      ...body !== undefined && { body: JSON.stringify(body) }
    })
  const session = await (await send('POST', '/login', { email, password })).json() as Caller['session']
  return {
    session,
    async ask (method, path, body) {
      const answer = await send(method, `/api${path}`, body, { authorization: `Bearer ${session.token}` })
      return { status: answer.status, body: await answer.json() as never }
    }
  }
}
