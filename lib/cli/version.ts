import { existsSync, readFileSync } from 'node:fs'

/** Returns the version of this package. */
export const readVersion = (): string => readPackage().version

interface Package { readonly version: string, readonly peerDependencies: Readonly<Record<string, string>> }

/** Returns what the package.json of this package says. */
export function readPackage (): Package {
  // The sources are one folder nearer to it than the compiled files.
  const [file] = ['../../package.json', '../../../package.json']
    .map(path => new URL(path, import.meta.url)).filter(url => existsSync(url))
  return JSON.parse(readFileSync(file ?? '', 'utf8')) as Package
}
