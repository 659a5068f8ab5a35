import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import t, { test } from 'tap'
import { compileWithPackage } from './helpers/compile.ts'
import { cellsOf, programsIn, read, root, sectionOf } from './helpers/documents.ts'
import { folder, manifest, packed, run, staged, tarball } from './helpers/packed.ts'
import { openRegistry } from './helpers/registry.ts'

// The package as it is published: the tarball in a project that follows README by its commands, from an empty folder.

const here = fileURLToPath(root)

/** A project that follows README from an empty folder. npm takes the package from the tarball. */
const project = join(folder, 'project')
mkdirSync(project)
const registry = await openRegistry(manifest, tarball, folder)
const commands = programsIn(read('README.md'), 'console')
  .flatMap(block => block.split('\n').filter(line => line.startsWith('$ ')).map(line => line.slice(2)))
const [serve = '', init = '', install = '', start = '', ...repository] = commands
const [program = ''] = programsIn(sectionOf('README.md', 'Install'))
// Node.js 20 neither runs TypeScript nor has SQLite.
const isModern = 'typescript' in process.features && process.features.typescript !== false
const inProject = (command: string) => run('sh', ['-c', command], { cwd: project, env: registry.env })
await inProject(init)
await inProject(install)
const installed = { bytes: sizeOf(join(project, 'node_modules')), packages: countIn(project) }

// The optional peers, a driver for Node.js 20, and what the compiler needs.
const others = ['@photostructure/sqlite', '@types/node', 'undici-types']
for (const name of [...Object.keys(manifest.peerDependencies), ...others]) {
  const link = join(project, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  if (!existsSync(link)) symlinkSync(join(here, 'node_modules', name), link)
}

test('the program of README listens, and answers each request as its table says', async t => {
  t.equal(start, 'node app.ts')
  writeFileSync(join(project, 'app.ts'), program)
  t.match(program, '{ port: 3000 }')
  const main = join(project, 'main.ts')
  writeFileSync(main, `${program.replace('{ port: 3000 }', '{ port: 0, host: \'127.0.0.1\' }')}
    process.send(app.server.address().port)
    process.on('disconnect', () => { process.exit() })`)
  const execArgv = isModern ? [] : ['--import', new URL('helpers/strip-types.mjs', import.meta.url).href]
  const child = fork(main, {
    cwd: project, env: registry.env, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const [port] = await once(child, 'message') as [number]
  const rows = cellsOf(sectionOf('README.md', 'Install')).filter(([request = '']) => request.startsWith('`'))
  t.equal(rows.length, 5)
  for (const [request = '', body = '', answer = ''] of rows) {
    const [method = '', path = ''] = request.slice(1, -1).split(' ')
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...body !== '' && { body: body.slice(1, -1), headers: { 'content-type': 'application/json' } }
    })
    t.equal(`${response.status} \`${await response.text()}\``, answer, request)
  }
  child.disconnect()
  await once(child, 'exit')
})

test('the command of README serves the file that this program has made', async t => {
  t.equal(serve, 'npx fastify-data-api music.db')
  const child = spawn('sh', ['-c', `${serve} --port 0`], { cwd: project, env: registry.env, detached: true })
  let output = ''
  const addresses = new Promise<string>(resolve => {
    child.stdout.on('data', chunk => {
      output += String(chunk)
      const [address] = /^http:.*$/m.exec(output) ?? []
      if (address !== undefined && output.includes('openapi.json\n')) resolve(address)
    })
  })
  const address = await Promise.race([addresses, once(child, 'exit').then(() => output)])
  t.match(output, 'music.db: 1 collection, read-only')
  t.strictSame(await (await fetch(`${address}artists?founded<2000`)).json(), [{ id: 1, name: 'Can', founded: 1968 }])
  // npx runs the command as a process of its own; both are of this group.
  process.kill(-(child.pid ?? 0))
  await once(child, 'close')
})

test('the command tells the version of the package', async t => {
  t.equal((await inProject('npx fastify-data-api --version')).stdout, `${manifest.version}\n`)
})

test('README has no other commands than those of the repository', t => {
  t.strictSame(repository, ['npm ci && npm start', 'npm ci && npm test'])
  const [, served = ''] = / (\S+\.ts)$/.exec(manifest.scripts['start'] ?? '') ?? []
  t.ok(existsSync(new URL(served, root)), served)
  t.end()
})

test('every entry can be imported, and required', async t => {
  const names = Object.keys(manifest.exports).filter(name => name !== './package.json')
    .map(name => `fastify-data-api${name.slice(1)}`)
  const counts = async (type: string, load: string) => {
    const program = `(async () => {
      for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(${load}).length > 0)
    })()`
    return (await run(process.execPath, [`--input-type=${type}`, '-e', program], { cwd: project })).stdout.trim()
  }
  const expected = names.map(name => `${name} true`).join('\n')
  t.equal(await counts('module', 'await import(name)'), expected)
  t.equal(await counts('commonjs', 'require(name)'), expected)
})

test('an older Node.js is told as such, whatever it lacks', t => {
  const { href } = new URL('../dist/lib/index.js', import.meta.url)
  const program = `
    Object.defineProperty(process.versions, 'node', { value: '20.18.3' })
    import(${JSON.stringify(href)}).catch(({ message }) => console.log(message))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  t.equal(stdout, 'fastify-data-api needs Node.js 20.19 or later; this is Node.js 20.18.3.\n')
  // A name that an older version does not export would fail before, when the modules are linked.
  const lacking = readdirSync(new URL('../dist/lib', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .filter(name => /import \{[^}]*\bhash\b[^}]*\} from 'node:crypto'/.test(
      readFileSync(new URL(`../dist/lib/${name}`, import.meta.url), 'utf8')))
  t.strictSame(lacking, [])
  t.end()
})

test('a class is the same by whichever entry it is imported', async t => {
  const program = `
    const classes = new Map()
    for (const name of ${JSON.stringify(Object.keys(manifest.exports).filter(name => name !== './package.json'))}) {
      for (const [key, one] of Object.entries(await import('fastify-data-api' + name.slice(1)))) {
        if (/^class /.test(String(one))) classes.set(key, [...classes.get(key) ?? [], one])
      }
    }
    const { DeclarationError, memory } = await import('fastify-data-api')
    console.log([...classes.values()].every(([first, ...others]) => others.every(one => one === first)))
    try { memory(7) } catch (error) { console.log(error instanceof DeclarationError) }`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: project })
  t.equal(stdout, 'true\ntrue\n')
})

test('a long read of SQLite continues in the thread of the package', async t => {
  const program = `
    import Fastify from 'fastify'
    import { Type } from '@sinclair/typebox'
    import dataApi, { collection, sqlite } from 'fastify-data-api'
    process.on('warning', warning => console.log(warning.message))
    process.on('worker', () => console.log('a thread'))
    const db = sqlite('long.db')
    db.exec('drop table if exists n; create table n (id integer primary key, t text)')
    db.exec("with recursive c (i) as (select 1 union all select i + 1 from c where i < 300000) " +
      "insert into n select i, 'text ' || i from c")
    const show = { readable: true }
    const n = collection(Type.Object({ id: Type.Integer({ identifier: true, ...show }), t: Type.String(show) }),
      { source: db.table('n') })
    const app = Fastify()
    await app.register(dataApi, { collections: { n } })
    const answer = await app.inject('/n?t*=nothing')
    console.log(answer.statusCode, answer.body)
    await app.close()
    db.close()`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: project })
  t.equal(stdout, 'a thread\n200 []\n')
})

test('the first program of README compiles strictly, and so do the declarations of the package', t => {
  t.strictSame(compileWithPackage(join(project, 'app.ts'), manifest.name), [])
  t.end()
})

test('source maps lead an error to the line of the source, and hold that of code for browsers', async t => {
  t.match(manifest.scripts['prepack'], 'node .github/package.mjs')
  const source = 'lib/core/sources/sql/sqlite/options.ts'
  const line = read(source).split('\n').findIndex(text => text.includes('sqlite(file): expected a path')) + 1
  const failing = ['--enable-source-maps', '--input-type=module', '-e',
    "import { sqlite } from 'fastify-data-api'; sqlite(1)"]
  const { stderr } = await run(process.execPath, failing, { cwd: project })
    .catch((error: unknown) => error as { stderr: string })
  t.match(stderr, `fastify-data-api/${source}:${line}:`)
  const maps = packed.files.filter(({ path }) => path.endsWith('.map'))
  t.equal(maps.length, packed.files.filter(({ path }) => path.endsWith('.js')).length)
  for (const { path } of maps) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(staged, path), 'utf8')) as SourceMap
    const texts = sources.map(name => read(join(dirname(path), name)))
    const isForBrowsers = sources.some(name => /\/lib\/clients\//.test(name))
    t.strictSame(sourcesContent ?? [], isForBrowsers ? texts : [], path)
  }
})

/** `sourcesContent`: bundlers warn of code for browsers whose sources they do not find. */
interface SourceMap { readonly sources: readonly string[], readonly sourcesContent?: readonly string[] }

test('publint has nothing to say', async t => {
  const { messages, pkg } = await publint({ pkgDir: join(project, 'node_modules', 'fastify-data-api'), strict: true })
  t.strictSame(messages.map(message => formatMessage(message, pkg)), [])
})

test('the types of every entry are right for those who import it', async t => {
  const { buffer, byteOffset, byteLength } = readFileSync(tarball)
  const data = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
  const checked = await checkPackage(createPackageFromTarballData(data))
  if (checked.types === false) throw new TypeError('the package has no types')
  // Two problems are not the package's: the module resolution of Node.js 10 knows no exports, and CommonJS requires an
  // ES module, which Node.js does from 20.19 on; the first test shows it.
  const problems = checked.problems.filter(({ kind }) => kind !== 'NoResolution' && kind !== 'CJSResolvesToESM')
  t.strictSame(problems, [])
  t.ok(Object.keys(checked.entrypoints).length >= Object.keys(manifest.exports).length - 1)
})

test('nothing is published that nobody needs', async t => {
  const pages = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/.+\.(md|png))$/
  const code = /^dist\/(lib|schemas)\/.+\.(js|js\.map|d\.ts)$/
  t.strictSame(packed.files.map(({ path }) => path).filter(path => !pages.test(path) && !code.test(path)), [])
  // In bytes. What makes it grow beyond is to be looked at.
  const [, megabytes] = /itself has (\d\.\d) MB/.exec(read('docs/running.md#deploying')) ?? []
  t.ok(packed.unpackedSize < Number(megabytes) * 1e6, `${packed.unpackedSize} bytes`)
  t.ok(readdirSync(join(project, 'node_modules', 'fastify-data-api')).includes('README.md'))
})

test('npm installs no more than docs/running.md#deploying says', t => {
  const [, packages, megabytes] = /(\d+) packages, (\d+) MB/.exec(read('docs/running.md#deploying')) ?? []
  t.ok(installed.bytes < Number(megabytes) * 1e6, `${installed.bytes} bytes`)
  t.ok(installed.packages < Number(packages), `${installed.packages} packages`)
  t.end()
})

/** The number of packages that npm has installed in a project. */
function countIn (folder: string): number {
  const lock = readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8')
  return Object.keys((JSON.parse(lock) as { packages: object }).packages).length
}

/** The bytes of the files in a folder. */
function sizeOf (folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

t.teardown(() => { registry.close() })
