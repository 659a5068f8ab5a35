import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { McpOptions } from '../../../schemas/mcp.ts'
import { suggest } from '../../core/errors/suggest.ts'
import { printable } from '../../core/errors/printable.ts'
import dataApi from '../../index.ts'
import { toName } from '../../core/model/names.ts'
import type { SessionSettings } from '../../core/sources/sql/tables.ts'
import { guardHost, guardSite, isLoopback } from './guard.ts'
import type { OpenedDatabase } from './open.ts'
import { prepare, preparingFlags } from './prepare.ts'
import { describeDesign } from './report.ts'
import type { Flags } from './flags.ts'
import type { Command } from './run.ts'
import { declareDesign } from './scaffold/declare.ts'
import type { CollectionDesign, Design } from './scaffold/design.ts'
import { parametersOf } from './parameters.ts'
import { CommandError, explain, type Terminal } from './terminal.ts'

/** Serves a database until the process is told to end. */
export const serveCommand: Command = {
  flags: {
    ...preparingFlags,
    ...{ all: 'switch', write: 'switch', role: 'text', claims: 'text', host: 'text', port: 'text', prefix: 'text' }
  },
  async run (flags, terminal) {
    if (flags.given.length > 1) {
      const [first = ''] = flags.given
      const near = suggest(first, ['init', 'types', 'mcp', 'import'])
      throw new CommandError(near === undefined
        ? `one database is served; found ${flags.given.length} names`
        : `unknown command '${printable(first)}'; did you mean '${near}'?`, { exitCode: 2 })
    }
    const place = addressOf(flags)
    const write = flags.has('write')
    const { database, design } = await prepare(flags, { write, session: sessionOf(flags), loadServing }, terminal)
    const app = await makeApp(database, design, { ...place, write }, terminal)
    const address = await listen(app, place, database)
    closeOnSignal(app, database)
    const show = (path: string) => { terminal.out(`${printable(`${address}${path}`)}\n`) }
    terminal.out(`${describeDesign(design, { label: database.label, write, all: flags.has('all') })}\n`)
    show(rootOf(place.prefix))
    // An application that a signal has closed meanwhile answers nothing.
    for (const path of await urlsToTry(app, design, place.prefix).catch(() => [])) show(path)
    if (write && !isLoopback(place.host)) terminal.out(openWarning)
    return undefined
  }
}

/** Returns the role and the claims for which PostgreSQL is to answer; undefined where neither is given. */
export function sessionOf (flags: Flags): SessionSettings | undefined {
  const role = flags.text('role')
  const claims = flags.text('claims')
  if (role === undefined && claims === undefined) return undefined
  return { ...role !== undefined && { role }, ...claims !== undefined && { settings: { [claimsSetting]: claims } } }
}

/** The setting in which PostgREST and Supabase give policies the claims of a caller. */
const claimsSetting = 'request.jwt.claims'

/** Loads what serves, which takes about as long as PostgreSQL needs to read a large catalogue. */
async function loadServing (): Promise<void> {
  await Promise.all([import('../../plugin/register.ts'), import('../../doors/explorer/explorer.ts')])
}

const openWarning = `
Anybody who reaches this machine can read, change and delete this data: there is no password.
Leave out --write, or --host, unless this is a network of your own.
`

interface Address { readonly host: string, readonly port: number, readonly prefix: string }

function addressOf (flags: Flags): Address {
  const port = flags.text('port') ?? '3000'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
    throw new CommandError(`--port: expected a number from 0 to 65535; found '${port}'`, { exitCode: 2 })
  }
  const prefix = (flags.text('prefix') ?? '').replace(/\/+$/, '')
  if (prefix !== '' && !/^(?:\/[\w.~-]+)+$/.test(prefix)) {
    throw new CommandError(`--prefix: expected a path such as /api; found '${prefix}'`, { exitCode: 2 })
  }
  return { host: flags.text('host') ?? '127.0.0.1', port: Number(port), prefix }
}

async function listen (app: FastifyInstance, { host, port }: Address, { db }: OpenedDatabase): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    await db.close()
    throw explainListening(error, host, port)
  }
  const found = app.server.address()
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${name}:${typeof found === 'object' && found !== null ? found.port : port}`
}

function explainListening (cause: unknown, host: string, port: number): CommandError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const messages: Readonly<Record<string, string | undefined>> = {
    EADDRINUSE: `the port ${port} is in use; choose another one, such as --port ${port + 1}`,
    EACCES: `the port ${port} needs rights that this user does not have; choose one above 1024`,
    EADDRNOTAVAIL: `--host: '${host}' is not an address of this machine`,
    ENOTFOUND: `--host: '${host}' is not an address of this machine`
  }
  return new CommandError(messages[code] ?? `cannot listen on ${host}, port ${port} (${code})`, { cause })
}

/** Ends the server in order, so that no file of the database stays behind. */
function closeOnSignal (app: FastifyInstance, { db }: OpenedDatabase): void {
  const close = () => {
    app.close().then(() => db.close()).catch(() => {}).finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, close)
}

/** Returns the path of the directory. */
const rootOf = (prefix: string): string => prefix === '' ? '/' : prefix

/** Returns further paths that a user can try: each of them was answered with 200. */
export async function urlsToTry (
  app: FastifyInstance, { collections }: Design, prefix: string
): Promise<readonly string[]> {
  const get = async (path: string): Promise<unknown> => {
    const answer = await app.inject(path)
    return answer.statusCode === 200 ? answer.json() as unknown : undefined
  }
  const best = collections.toSorted((one, other) => relations(other).length - relations(one).length)
  for (const collection of best.slice(0, 5)) {
    const path = `${prefix}/${encodeURIComponent(wire(collection.property))}`
    const limit = limitOf(collection)
    const keys = await get(`${path}/by_${keyOf(collection)}?${limit}=1`)
    const [key] = typeof keys === 'object' && keys !== null ? Object.keys(keys) : []
    if (key === undefined) continue
    const candidates = [`${path}?${limit}=5`, `${path}/${encodeURIComponent(key)}`, selection(path, collection)]
    const answered: string[] = []
    for (const url of candidates) if (url !== undefined && await get(url) !== undefined) answered.push(url)
    return [...answered, `${prefix}/openapi.json`]
  }
  return [`${prefix}/openapi.json`]
}

const wire = (property: string) => toName('snake_case', property)

const relations = ({ fields }: CollectionDesign) => fields.filter(({ kind }) => kind === 'sub-item')

function keyOf ({ key, fields }: CollectionDesign): string {
  const first = fields.find(field => field.kind === 'scalar' && field.flags.identifier === true)
  return encodeURIComponent(wire(key?.[0] ?? first?.property ?? ''))
}

function selection (path: string, collection: CollectionDesign): string | undefined {
  const [relation] = relations(collection)
  const plain = collection.fields.find(({ kind, flags }) =>
    kind === 'scalar' && flags.readable === true && flags.identifier !== true)
  if (relation === undefined || plain === undefined) return undefined
  const names = [plain, relation].map(({ property }) => encodeURIComponent(wire(property)))
  return `${path}?${parametersOf(collection).nameOf('fields')}=${names.join(',')}&${limitOf(collection)}=5`
}

/** Returns the name of the parameter for the size of a page: `limit`, which most people know, unless a field has it. */
const limitOf = (collection: CollectionDesign): string => parametersOf(collection).nameOf('size', 'limit')

/** How a design is served. `write`: clients may write. `mcp`: the door for agents; none by default. */
interface Serving {
  readonly host: string
  readonly prefix: string
  readonly write: boolean
  readonly mcp?: McpOptions
  /** True for what takes imports alone. Default false. */
  readonly imports?: boolean
}

// No route of this application has schemas of Fastify's, whose compilers take 50 ms to load.
const never = () => () => { throw new Error('no route has a schema') }
const schemaController = { compilersFactory: { buildValidator: never, buildSerializer: never } }

export async function makeApp (
  database: OpenedDatabase, design: Design, { host, prefix, write, mcp, imports = false }: Serving,
  terminal: Pick<Terminal, 'error'>
): Promise<FastifyInstance> {
  // A large catalogue may take long on a slow machine, and that is no error.
  const app = Fastify({ loggerInstance: makeLogger(terminal), pluginTimeout: 0, schemaController })
  guardHost(app, host)
  guardSite(app)
  await app.register(dataApi, {
    prefix,
    collections: declareDesign(design, database.db),
    openapi: { info: { title: database.label } },
    explorer: true,
    ...mcp && { mcp },
    // A pipe may be slow, and its lines many.
    imports: imports && unbounded,
    ...write && { requestStrategies: { delete: true, batch: mcp !== undefined, upsert: imports } }
  })
  await app.ready()
  return app
}

const longest = 2 ** 31 - 1
const most = Number.MAX_SAFE_INTEGER
const unbounded = { bytes: most, rows: most, idle: longest, time: longest }

/** Returns a logger that prints warnings and errors, each in one line. */
function makeLogger ({ error }: Pick<Terminal, 'error'>): FastifyBaseLogger {
  const quiet = () => {}
  const print = (facts: unknown, message?: string) => {
    const cause = typeof facts === 'object' && facts !== null && 'err' in facts ? facts.err : facts
    const parts = [message, typeof cause === 'string' || cause instanceof Error ? explain(cause) : undefined]
    error(`${[...new Set(parts)].filter(part => part !== undefined).join(': ')}\n`)
  }
  const logger: FastifyBaseLogger = {
    level: 'warn',
    fatal: print,
    error: print,
    warn: print,
    info: quiet,
    debug: quiet,
    trace: quiet,
    silent: quiet,
    child: () => logger
  }
  return logger
}
