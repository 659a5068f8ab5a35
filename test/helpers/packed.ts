import { execFile, type ExecFileOptionsWithStringEncoding } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { read, root } from './documents.ts'
import { withoutRunner } from './on-socket.ts'

// The package as it is published. The tests of a process pack it once: what the build has left in `dist`, after the
// step that `prepack` takes.

export interface Manifest {
  readonly files: readonly string[]
  readonly name: string
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Runs a program without the modules of the test runner, which it would load and whose coverage nobody reads. */
export const run = (
  program: string, args: readonly string[], options: Partial<ExecFileOptionsWithStringEncoding> = {}
) => promisify(execFile)(program, args, { env: withoutRunner.env, ...options, encoding: 'utf8' })

const here = fileURLToPath(root)

export const manifest = JSON.parse(read('package.json')) as Manifest
/** A folder that is removed when the process ends. */
export const folder = mkdtempSync(join(tmpdir(), 'package-'))
process.once('exit', () => { rmSync(folder, { recursive: true, force: true }) })

/** The files of the package. Other tests use `dist` meanwhile, so it is a copy. */
export const staged = join(folder, 'staged')
for (const name of [...manifest.files, 'package.json', 'README.md', 'LICENSE']) {
  cpSync(join(here, name), join(staged, name), { recursive: true })
}
await run(process.execPath, ['.github/package.mjs', staged], { cwd: here })

const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
export const [packed] = JSON.parse((await run('npm', packing, { cwd: staged })).stdout) as [Packed]
export const tarball = join(folder, packed.filename)
