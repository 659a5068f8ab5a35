/** Returns the help for a command, which fits a screen of 80 by 24. */
export const commandHelp = (name: string): string => texts[name] ?? texts['serve'] ?? ''

const texts: Readonly<Record<string, string>> = {
  serve: `Usage: npx fastify-data-api <database> [flags]
       npx fastify-data-api init <database> <folder> [flags]    writes a project
       npx fastify-data-api types <url | module> [flags]     writes client types

Serves a database that exists, read-only: <database> is a SQLite file, an
address such as postgres://user@host/database, or a folder of CSV, NDJSON or
JSON files.

  --tables 'album*,artist'   serves these tables and views only
  --schema sales,public      the schemas of PostgreSQL (default: public)
  --key view=column          the key of a view or table without one;
                             several columns: --key view=one,two
  --show table.column        shows a column that looks secret or holds bytes
  --write                    lets clients create, update and delete
  --host 127.0.0.1           the address to listen on (default: only here)
  --port 3000                the port; 0 for any that is free
  --prefix /api              the path of the API (default: the root)
  --help, --version

init --help and types --help tell about these commands.
`,
  init: `Usage: npx fastify-data-api init <database> <folder> [flags]

Writes a project that serves a database that exists: schemas, collections,
database, server, a test, README and package.json. Existing files are never
overwritten. Nothing in it is writable; its README says how to change that.

  --tables 'album*,artist'   these tables and views only
  --schema sales,public      the schemas of PostgreSQL (default: public)
  --key view=column          the key of a view or table without one
  --show table.column        shows a column that looks secret or holds bytes
  --diff                     writes nothing: tells what the database has that
                             the project lacks, and the other way round
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
`
}
