import type { FastifyInstance } from 'fastify'
import { loadKysely } from '../sources/sql/load-kysely.ts'
import { isLoopback } from './guard.ts'
import type { OpenedDatabase } from './open.ts'
import { prepare, preparingFlags } from './prepare.ts'
import { describeDesign } from './report.ts'
import type { Command, Flags } from './run.ts'
import { CommandError, printable } from './terminal.ts'
import { rootOf, urlsToTry } from './urls.ts'
import { suggest } from '../errors/suggest.ts'

/** Serves a database until the process is told to end. */
export const serve: Command = {
  flags: { ...preparingFlags, write: 'switch', host: 'text', port: 'text', prefix: 'text' },
  async run (flags, terminal) {
    if (flags.given.length > 1) {
      const [first = ''] = flags.given
      const near = suggest(first, ['init', 'types'])
      throw new CommandError(near === undefined
        ? `one database is served; found ${flags.given.length} names`
        : `unknown command '${printable(first)}'; did you mean '${near}'?`, { exitCode: 2 })
    }
    const place = placeOf(flags)
    const write = flags.has('write')
    const { database, design } = await prepare(flags, { write, loadServing }, terminal)
    const { makeApp } = await import('./app.ts')
    const app = await makeApp(database, design, { ...place, write }, terminal)
    const address = await listen(app, place, database)
    closeOnSignal(app, database)
    const show = (path: string) => { terminal.out(`${printable(`${address}${path}`)}\n`) }
    terminal.out(`${describeDesign(design, { label: database.label, write })}\n`)
    show(rootOf(place.prefix))
    // An application that a signal has closed meanwhile answers nothing.
    for (const path of await urlsToTry(app, design, place.prefix).catch(() => [])) show(path)
    if (write && !isLoopback(place.host)) terminal.out(openWarning)
    return undefined
  }
}

/** Loads what serves, which takes about as long as PostgreSQL needs to read a large catalogue. */
function loadServing (): void {
  const modules = [import('./app.ts'), import('../plugin/register.ts'), import('../explorer/explorer.ts')]
  Promise.all(modules).then(loadKysely).catch(() => {})
}

const openWarning = `
Anybody who reaches this machine can read, change and delete this data: there is no password.
Leave out --write, or --host, unless this is a network of your own.
`

interface Place { readonly host: string, readonly port: number, readonly prefix: string }

function placeOf (flags: Flags): Place {
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

async function listen (app: FastifyInstance, { host, port }: Place, { db }: OpenedDatabase): Promise<string> {
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
