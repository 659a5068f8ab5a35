import { type Flag, type Flags, parseFlags } from './flags.ts'
import { CommandError, explain, type Terminal } from './terminal.ts'

/** A command: its flags and what it does. It returns the exit code; undefined while it goes on, as a server does. */
export interface Command {
  readonly flags: Readonly<Record<string, Flag>>
  run (flags: Flags, terminal: Terminal): Promise<number | undefined>
}

// Each is loaded when it is asked for, so that `--help` is there at once.
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  init: async () => (await import('./init.ts')).init,
  import: async () => (await import('./import.ts')).importCommand,
  types: async () => (await import('./types.ts')).types,
  prove: async () => (await import('./prove.ts')).proveCommand,
  rights: async () => (await import('./rights.ts')).rightsCommand,
  mcp: async () => (await import('./mcp.ts')).mcp,
  sql: async () => (await import('./sql.ts')).sqlCommand
}

/**
 * Runs the command line `npx fastify-data-api …` (docs/command.md). Returns the exit code: 0, 1 for an error, 2
 * for wrong flags; undefined while a server runs.
 */
export async function runCommand (given: readonly string[], terminal: Terminal): Promise<number | undefined> {
  try {
    const [first = ''] = given
    const name = Object.hasOwn(commands, first) ? first : 'serve'
    const command = await commands[name]?.()
    if (command === undefined) return 2
    const known: Command['flags'] = { ...command.flags, help: 'switch', version: 'switch' }
    const flags = parseFlags(name === first ? given.slice(1) : given, known)
    if (flags.has('version')) return await printVersion(terminal)
    if (flags.has('help')) {
      terminal.out(commandHelp(name))
      return 0
    }
    return await command.run(flags, terminal)
  } catch (error) {
    terminal.error(`${explain(error)}\n`)
    return error instanceof CommandError ? error.exitCode : 1
  }
}

async function printVersion (terminal: Terminal): Promise<number> {
  const { readVersion } = await import('./terminal.ts')
  terminal.out(`${readVersion()}\n`)
  return 0
}

/** Returns the help for a command, which fits a screen of 80 by 24. */
export const commandHelp = (name: string): string => texts[name] ?? texts['serve'] ?? ''

const texts: Readonly<Record<string, string>> = {
  serve: `Usage: npx fastify-data-api <database> [flags]
       npx fastify-data-api init <database> <folder> [flags]    writes a project
       npx fastify-data-api mcp <database> [flags]     serves an agent by stdio
       npx fastify-data-api import <database> <collection> [flags]  reads lines
       npx fastify-data-api types <url | module> [flags]     writes client types
       npx fastify-data-api prove <module> [flags]            tests your rules
       npx fastify-data-api rights <module> [flags]     prints who may do what
       npx fastify-data-api sql tables <module> [flags]      prints migrations

Serves a database, read-only: <database> is a SQLite file, an address such as
postgres://user@host/database, or a folder of CSV, NDJSON or JSON files.

  --tables 'album*,artist'   serves these tables and views only
  --schema sales,public      the schemas of PostgreSQL (default: public)
  --key view=column          the key of a view or table without one;
                             view=one,two: of several columns; '*=id': of all
  --show table.column        shows a column that looks secret or holds bytes
  --look 10                  the seconds to look at all rows of SQLite for types
  --role web_user            the role of PostgreSQL; --claims '{"sub":"ann"}'
  --all                      lists all that is served, and all that is not
  --write                    lets clients create, update and delete
  --host 127.0.0.1           the address to listen on; --port 3000 (0: any)
  --prefix /api              the path of the API (default: the root)
  --help, --version          init --help tells about init, and so on
`,
  init: `Usage: npx fastify-data-api init <database> <folder> [flags]

Writes a project that serves a database that exists: schemas, collections,
database, server, a test, README and package.json. Existing files are never
overwritten. Nothing in it is writable; its README says how to change that.

  --tables 'album*,artist'   these tables and views only
  --schema sales,public      the schemas of PostgreSQL (default: public)
  --key view=column          the key of a view or table without one
  --show table.column        shows a column that looks secret or holds bytes
  --look 10                  the seconds to look at all rows of SQLite for types
  --diff                     writes nothing: tells what the database has that
                             the project lacks, and the other way round
  --help
`,
  mcp: `Usage: npx fastify-data-api mcp <database> [flags]

Serves a database that exists to an agent, read-only, by the Model Context
Protocol on standard input and output: name this line in the configuration of
the agent. <database> is as of npx fastify-data-api <database>.

  --tables 'album*,artist'   serves these tables and views only
  --schema sales,public      the schemas of PostgreSQL (default: public)
  --key view=column          the key of a view or table without one
  --show table.column        shows a column that looks secret or holds bytes
  --look 10                  the seconds to look at all rows of SQLite for types
  --role web_user            the role of PostgreSQL that answers;
                             --claims '{"sub":"ann"}': for this caller
  --write                    lets the agent create, update and delete
  --help
`,
  import: `Usage: npx fastify-data-api import <database> <collection> [flags] < file

Imports the lines of standard input, all or none: CSV, whose first line names
the fields as the API does. <database> is a SQLite file or an address such as
postgres://user@host/database; --help of npx fastify-data-api tells more of it.
What is wrong is told by line, and the exit code is 1.

  --merge name               updates items that exist, with the same name; or
                             by another unique field, or the key
  --ignore name              leaves such items as they are
  --dry-run                  tries it, and writes nothing
  --ndjson                   the lines are JSON objects
  --schema sales,public      the schemas of PostgreSQL (default: public)
  --tables, --key, --show, --look: as of npx fastify-data-api <database>
  --help
`,
  types: `Usage: npx fastify-data-api types <url | module> [flags]

Writes the types of an API for the client, createClient<Api>(): <url> is the
root of a running API, <module> a file that exports the application, a function
that builds it, a plugin, or its options or collections.

  --out api.ts               the file to write (default: prints the types)
  --header 'name: value'     a header of the request to a URL, such as
                             'Authorization: Bearer …'; may be repeated. The
                             types hold what its caller may see
  --export name              the export of the module to take (default: default,
                             app, options, collections)
  --prefix /api              the API to take, if the application has several
  --help
`,
  prove: `Usage: npx fastify-data-api prove <module> [flags]

Looks for what gets around the rules of an application: <module> exports it, a
function that builds it, a plugin, or its options or collections. It is built
twice, over throw-away tables that differ in what the caller may not see; no
database is asked for the data of its collections. Prints a report in Markdown;
the exit code is 1 if the caller can learn what is hidden.

  --header 'name: value'     a header of every request, such as
                             'Authorization: Bearer …'; may be repeated
  --requests 2000            how many requests are sent
  --seed 1                   sends the same requests again
  --route 'GET /me'          a route of your own to drive; may be repeated
  --allow notes.salary       what the caller may learn, or what the report says
                             was not driven; may be repeated
  --export name              the export of the module to take (default: default,
                             app, options, collections)
  --help
`,
  rights: `Usage: npx fastify-data-api rights <module> [flags]

Prints in Markdown what callers may do to each collection, and who may read and
write the fields that not all may. <module> exports the application, a function
that builds it, a plugin, or its options or collections. Its hooks, rules and
scopes are asked, and no data is read.

  --caller 'lead=name: value'  a caller and a header by which the application
                             knows it, such as 'lead=Authorization: Bearer …';
                             may be repeated. A visitor has no header
  --callers name             the export of the module with callers: an object,
                             or a function that makes it for the application
  --json                     prints the file that expectRights() compares with
  --export name              the export of the module to take (default: default,
                             app, options, collections)
  --help
`,
  sql: `Usage: npx fastify-data-api sql tables <module> [flags]
       npx fastify-data-api sql changes <module> [flags]
       npx fastify-data-api sql idempotency <module> [flags]

Prints SQL for the declarations of an application, and runs none: <module>
exports it, a function that builds it, a plugin, or its options or collections.
tables: the tables that the declarations mean, with keys, indexes, foreign keys
and checks. changes: the log of changes that live documents of PostgreSQL
follow (option 'changes'). idempotency: the table of the keys of writes.

  --for sqlite|postgres      the SQL to print (default: that of the database of
                             the collections)
  --diff music.db            tables: only what this SQLite file or address
                             postgres://… lacks of them
  --export name              the export of the module to take (default: default,
                             app, options, collections)
  --help
`
}
