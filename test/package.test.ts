import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import t, { test } from 'tap'
import { read, root } from './helpers/documents.ts'

// The package as it is published: the tarball in a project of its own. What npm test built is what is packed.

const run = promisify(execFile)
const here = fileURLToPath(root)

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const manifest = JSON.parse(read('package.json')) as Manifest
const folder = mkdtempSync(join(tmpdir(), 'package-'))
const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: here })
const [packed] = JSON.parse(stdout) as [Packed]
const tarball = join(folder, packed.filename)

/** A project whose node_modules hold the tarball's content, and links to the dependencies that npm would install. */
const project = join(folder, 'project')
mkdirSync(join(project, 'node_modules', 'fastify-data-api'), { recursive: true })
await run('tar', ['-xzf', tarball, '-C', join(project, 'node_modules', 'fastify-data-api'), '--strip-components=1'])
for (const name of [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies), '@types/node']) {
  const link = join(project, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join(here, 'node_modules', name), link)
}

test('every entry can be imported, and required', async t => {
  for (const entry of Object.keys(manifest.exports).filter(name => name !== './package.json')) {
    const name = `fastify-data-api${entry.slice(1)}`
    const imported = await run(process.execPath, ['--input-type=module', '-e',
      `console.log(Object.keys(await import('${name}')).length > 0)`], { cwd: project })
    t.equal(imported.stdout.trim(), 'true', `import ${name}`)
    const required = await run(process.execPath, ['--input-type=commonjs', '-e',
      `console.log(Object.keys(require('${name}')).length > 0)`], { cwd: project })
    t.equal(required.stdout.trim(), 'true', `require ${name}`)
  }
})

test('the first program of README compiles strictly, its libraries checked too', async t => {
  const [, program = ''] = /```ts\n([^]*?)```/.exec(read('README.md')) ?? []
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'app.ts'), program)
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
  const args = [tsc, ...strict, '--noEmit', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', 'app.ts']
  const compiled = await run(process.execPath, args, { cwd: project })
    .catch((error: unknown) => error as { stdout: string })
  t.equal(compiled.stdout, '')
})

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
  const code = /^dist\/(lib|schemas)\/.+\.(js|d\.ts)$/
  t.strictSame(packed.files.map(({ path }) => path).filter(path => !pages.test(path) && !code.test(path)), [])
  // In bytes. Now about 1.4 million; what makes it grow beyond is to be looked at.
  t.ok(packed.unpackedSize < 2_500_000, String(packed.unpackedSize))
  t.ok(readdirSync(join(project, 'node_modules', 'fastify-data-api')).includes('README.md'))
})

t.teardown(() => { rmSync(folder, { recursive: true, force: true }) })
