import type { Design } from '../design.ts'
import { plainText, quoteLiteral } from '../../../../doors/documents/types/typescript-source.ts'
import { schemaNames, writeCollections, writeSchemas } from './sources.ts'

/** The facts that a project depends on besides the design. */
interface ProjectOptions {
  readonly name: string
  /** The version of this package. */
  readonly version: string
  /** The path of a SQLite file, as seen from the project. */
  readonly file: string | undefined
  /** True if the project needs a driver for SQLite, since this Node.js has none. */
  readonly needsDriver: boolean
  /** True if a key was named that no index proves unique. */
  readonly isUnproven: boolean
  /** The command that designed it, without an address. */
  readonly command: string
}

/** Returns the files of a project that serves a design, by their paths. */
export function writeProject (design: Design, options: ProjectOptions): ReadonlyMap<string, string> {
  const names = schemaNames(design)
  return new Map([
    ['package.json', writePackage(design, options)],
    ['tsconfig.json', tsconfig],
    ['.gitignore', 'node_modules\ndist\n.env\n'],
    ['database.ts', writeDatabase(design, options)],
    ['schemas.ts', writeSchemas(design, names)],
    ['collections.ts', writeCollections(design, names)],
    ['app.ts', app],
    ['server.ts', server],
    ['test/api.test.ts', test],
    ['README.md', writeReadme(design, options)]
  ])
}

function writePackage ({ kind }: Design, { name, version, needsDriver }: ProjectOptions): string {
  return `${JSON.stringify({
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: kind === 'sqlite' && !needsDriver ? '>=22.16' : '>=20.19' },
    scripts: {
      build: 'tsc',
      start: 'npm run build && node dist/server.js',
      test: 'npm run build && node --test dist/test/api.test.js'
    },
    dependencies: {
      '@sinclair/typebox': '^0.34.52',
      fastify: '^5.12.0',
      'fastify-data-api': `^${version}`,
      ...kind === 'postgres' && { pg: '^8.23.0' },
      ...kind === 'sqlite' && needsDriver && { '@photostructure/sqlite': '^1.2.1' }
    },
    devDependencies: { '@types/node': '^22.0.0', typescript: '~5.9.3' }
  }, undefined, 2)}\n`
}

const tsconfig = `{
  "compilerOptions": {
    "target": "es2023", "lib": ["es2023"], "module": "nodenext", "types": ["node"], "strict": true,
    "noUncheckedIndexedAccess": true, "noUnusedLocals": true, "verbatimModuleSyntax": true, "skipLibCheck": true,
    "erasableSyntaxOnly": true, "rewriteRelativeImportExtensions": true, "rootDir": ".", "outDir": "dist"
  },
  "include": ["*.ts", "test"]
}
`

function writeDatabase ({ kind }: Design, { file = '', isUnproven }: ProjectOptions): string {
  const check = isUnproven ? ", check: 'warn'" : ''
  const reason = isUnproven
    ? '// No index proves that the keys of some views and tables are unique, so faults are warnings.\n'
    : ''
  if (kind === 'sqlite') {
    return `import { sqlite } from 'fastify-data-api'

// The file is only read, and stays as it is. Without readOnly, clients may write the fields that are writable.
${reason}export const db = sqlite(process.env['DATABASE_FILE'] ?? ${quoteLiteral(file)}, { readOnly: true${check} })
`
  }
  return `import { postgres } from 'fastify-data-api'

const connectionString = process.env['DATABASE_URL']
if (connectionString === undefined) {
  throw new Error('DATABASE_URL is missing; set it to postgres://user:password@host/database')
}

// The database is only read. Without readOnly, clients may write the fields that are writable.
${reason}export const db = postgres({ connectionString, readOnly: true${check} })
`
}

const app = `import Fastify from 'fastify'
import dataApi from 'fastify-data-api'
import { collections } from './collections.ts'
import { db } from './database.ts'

/** Returns the application. What it needs besides the API goes here: authentication, CORS, rate limits. */
export async function makeApp (logger: boolean) {
  const app = Fastify({ logger })
  await app.register(dataApi, { collections })
  app.addHook('onClose', async () => { await db.close() })
  return app
}
`

const server = `import { makeApp } from './app.ts'

const app = await makeApp(true)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { void app.close() })
// 127.0.0.1 is this machine only. Set HOST to 0.0.0.0 once callers are authenticated.
await app.listen({ host: process.env['HOST'] ?? '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) })
`

const test = `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeApp } from '../app.ts'

const app = await makeApp(false)
after(() => app.close())

test('every collection of the directory can be read', async () => {
  const directory = (await app.inject('/')).json<Array<{ name: string }>>()
  assert.ok(directory.length > 0)
  for (const { name } of directory) {
    const { statusCode, body } = await app.inject(\`/\${encodeURIComponent(name)}\`)
    assert.equal(statusCode, 200, \`\${name}: \${body}\`)
  }
})
`

function writeReadme (design: Design, { name, command, isUnproven }: ProjectOptions): string {
  const { kind, omissions, secrets } = design
  const left = [
    ...omissions.map(({ place, reason }) => `- ${markdownCode(place)} ${plainText(reason)}`),
    ...secrets.map(place => `- ${markdownCode(place)} looks secret`)
  ]
  const advice = "\nSet `DATABASE_URL` before: `export DATABASE_URL='postgres://user:password@host/database'`.\n"
  const address = kind === 'postgres' ? advice : ''
  const checked = isUnproven ? 'faults are warnings here' : 'what does not fit is an error'
  return `# ${name}

A data API, made by ${markdownCode(command)}.

\`\`\`console
$ npm install
$ npm test
$ npm start
\`\`\`
${address}
| File | What it holds |
|---|---|
| \`schemas.ts\` | the fields of each collection, and what clients may do with them |
| \`collections.ts\` | the collections, each with its table; behaviour goes here |
| \`database.ts\` | the connection |
| \`app.ts\`, \`server.ts\` | the application, and the process that serves it |
| \`test/api.test.ts\` | one test |

## Writing

Nothing is writable. To let clients write: remove \`readOnly: true\` in \`database.ts\`, add \`writable: true\` to
fields in \`schemas.ts\`, and \`requestStrategies: { delete: true }\` in \`collections.ts\` where items may be deleted.
Say first who may do so: \`rules: { read: true, create: false, update: false, delete: false }\` beside \`collections\`
in \`app.ts\`, and in \`collections.ts\` the \`rules\` and \`scope\` of what some callers may do. An API with rules that
leaves an operation unsaid does not start.

When the application starts, the declarations are compared with the tables; ${checked}.
After a migration, \`npx fastify-data-api init <database> . --diff\` tells what the database has that the schemas
lack, and the other way round.
${left.length > 0 ? `\n## Not served\n\n${left.join('\n')}\n` : ''}`
}

/** Returns a text for Markdown, as code. */
function markdownCode (text: string): string {
  const fence = '`'.repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${space}${plainText(text).replaceAll('|', '\\|')}${space}${fence}`
}
