import { readPostgres, readSchemas } from './scaffold/read-postgres.ts'
import { openPostgres, type PostgresTables, type SessionSettings } from '../../core/sources/sql/tables.ts'
import { codeOf, type OpenedDatabase, type OpenOptions, statementTimeout } from './open.ts'
import { CommandError } from './terminal.ts'

/** Opens a PostgreSQL database. Nothing of the address is ever part of a message: it may hold a password. */
export async function openServer (
  address: string, { write, session, schemas, progress, loadServing }: OpenOptions
): Promise<OpenedDatabase> {
  const opened = open(address, write, session)
  const { db } = opened
  try {
    const connecting = opened.query('select current_database() as name')
    loadServing?.().then(opened.loadBuilder).catch(() => {})
    const [row] = await connecting
    return {
      kind: 'postgres',
      label: `PostgreSQL, database ${String(row?.['name'])}`,
      db,
      async read (isWanted) {
        progress.tell('reading the catalogue')
        const tables = await readPostgres(opened, schemas, isWanted)
        if (tables.tables.length + tables.omissions.length === 0) await tellSchemas(opened, schemas)
        return tables
      }
    }
  } catch (error) {
    await db.close()
    throw explainConnection(error)
  }
}

function open (connectionString: string, write: boolean, session: SessionSettings | undefined) {
  try {
    return openPostgres(connectionString, {
      readOnly: !write, statementTimeout, ...session && { session: () => session }
    })
  } catch (error) {
    if (error instanceof Error && error.message.includes("'pg'")) {
      throw new CommandError(
        "the driver of PostgreSQL is missing; run: npx -p pg -p fastify-data-api fastify-data-api 'postgres://…'",
        { cause: error }
      )
    }
    throw explainConnection(error)
  }
}

/** Throws if the schemas have no tables, and names those that do. */
async function tellSchemas (opened: PostgresTables, asked: readonly string[]): Promise<void> {
  const known = await readSchemas(opened)
  const others = known.filter(name => !asked.includes(name))
  if (others.length < known.length || others.length === 0) return
  const places = asked.map(name => `'${name}'`).join(', ')
  throw new CommandError(`the schema ${places} has no tables; others have: --schema ${others.slice(0, 10).join(',')}`)
}

/** Returns the error of a connection as one of this command. */
export function explainConnection (error: unknown): CommandError {
  const code = codeOf(error)
  const advice = (error instanceof Error ? adviceFor(error.message) : undefined) ?? messages[code]
  return new CommandError(advice ?? `PostgreSQL cannot be used (${code})`, { cause: error })
}

const messages: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: 'no PostgreSQL answers at this address (connection refused); start it, or check host and port',
  ENOTFOUND: 'the host of this address is not known; check its spelling',
  EAI_AGAIN: 'the host of this address cannot be looked up now; check its spelling and the network',
  ETIMEDOUT: 'PostgreSQL did not answer in time; check host and port',
  EHOSTUNREACH: 'the host of this address cannot be reached; check its name and the network',
  ECONNRESET: 'the server ended the connection; it may not be PostgreSQL, or may require TLS (?sslmode=require)',
  ERR_INVALID_URL: 'the address is not a URL; in user and password, percent-encode characters such as @ : / # ?',
  '28P01': 'PostgreSQL refuses the user or the password of this address; check both',
  28000: 'PostgreSQL refuses this user from this machine (pg_hba.conf), or without TLS (?sslmode=require)',
  '3D000': 'PostgreSQL has no database of the name in this address; create it, or check the name',
  53300: 'PostgreSQL has no connection left for another client; close one, or try again',
  '57P03': 'PostgreSQL is starting up or shutting down; try again'
}

function adviceFor (message: string): string | undefined {
  if (/password must be a string|no password/i.test(message)) {
    return 'PostgreSQL asks for a password; write postgres://user:password@host/database, or set PGPASSWORD'
  }
  if (/timeout exceeded when trying to connect/i.test(message)) return messages['ETIMEDOUT']
  if (/terminated unexpectedly/i.test(message)) return messages['ECONNRESET']
  if (/does not support SSL/i.test(message)) return 'PostgreSQL takes no TLS there; use ?sslmode=disable'
  if (/^role ".*" does not exist$/.test(message)) return 'PostgreSQL has no user of the name in this address; check it'
  if (/self-signed|certificate/i.test(message)) {
    return 'the certificate of PostgreSQL is not trusted; give sslrootcert, or use ?sslmode=no-verify'
  }
  return /unsupported startup parameter/.test(message)
    ? 'a pooler refuses to begin a connection as read-only; connect to PostgreSQL itself'
    : undefined
}
