import { execFileSync } from 'node:child_process'
import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Builds the package as it was at a commit, in a temporary folder. Returns the folder and its main module's URL. */
export function buildEarlier (commit: string): { readonly folder: string, readonly entry: string } {
  const folder = mkdtempSync(join(tmpdir(), 'data-api-worst-'))
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const modules = resolve('node_modules')
  symlinkSync(modules, join(folder, 'node_modules'))
  // Its types are not those of the dependencies of today.
  execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck'], {
    cwd: folder, stdio: 'inherit'
  })
  return { folder, entry: pathToFileURL(join(folder, 'dist/lib/index.js')).href }
}
