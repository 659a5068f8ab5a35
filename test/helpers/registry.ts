import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { read, root } from './documents.ts'

// A registry of packages on this machine: what is installed here, and one tarball. So npm installs as for a user, and
// needs no network.

const run = promisify(execFile)
interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** A registry that is listening. `env` has npm use it and nothing else of this machine: no cache, no settings. */
export interface Registry { readonly env: NodeJS.ProcessEnv, close (): void }

/** Serves the installed packages and `tarball`, which stands for `published`. `folder` is for the cache of npm. */
export async function openRegistry (published: Manifest, tarball: string, folder: string): Promise<Registry> {
  const server = createServer((request, reply) => {
    const [name = '', version] = decodeURIComponent(request.url ?? '').slice(1).split('/-/')
    contentOf(name, version).then(
      content => reply.writeHead(content === undefined ? 404 : 200).end(content ?? '{}'),
      (error: unknown) => reply.writeHead(500).end(String(error))
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { env: environment(`http://127.0.0.1:${port}`, folder), close () { server.close() } }

  /** A description of all versions of a package, or the tarball of one version. */
  async function contentOf (name: string, version: string | undefined): Promise<string | Buffer | undefined> {
    if (name === published.name) {
      return version === undefined ? describe(name, [published], port) : readFileSync(tarball)
    }
    const places = installed(name)
    if (places.size === 0) return undefined
    if (version === undefined) return describe(name, [...places.values()].map(manifestOf), port)
    const place = places.get(version)
    return place === undefined ? undefined : await pack(place)
  }
}

function describe (name: string, manifests: readonly Manifest[], port: number): string {
  const versions = Object.fromEntries(manifests.map(manifest => {
    const tarball = `http://127.0.0.1:${port}/${name}/-/${manifest.version}`
    return [manifest.version, { ...manifest, dist: { tarball } }]
  }))
  return JSON.stringify({ name, versions, 'dist-tags': { latest: manifests[0]?.version } })
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, unknown>> }
const places = Object.keys(packages).filter(place => place !== '')
const { overrides } = JSON.parse(read('package.json')) as { overrides: Readonly<Record<string, string>> }

/** The manifest of an installed package, whose dependencies are those that were installed for it. */
function manifestOf (place: string): Manifest {
  const manifest = JSON.parse(read(`${place}/package.json`)) as Manifest
  const dependencies = Object.entries(manifest.dependencies ?? {})
    .map(([name, range]) => [name, overrides[name] ?? range])
  return { ...manifest, dependencies: Object.fromEntries(dependencies) as Record<string, string> }
}

/** The installed versions of a package, each with its folder; first the one that the project itself imports. */
function installed (name: string): ReadonlyMap<string, string> {
  const found = places.filter(place => place.endsWith(`node_modules/${name}`))
  const shallowFirst = found.toSorted((a, b) => a.length - b.length)
  return new Map(shallowFirst.map(place => [manifestOf(place).version, place]))
}

async function pack (place: string): Promise<Buffer> {
  const args = ['-cf', '-', '--exclude=./node_modules', '-C', fileURLToPath(new URL(place, root)), '.']
  return (await run('tar', args, { encoding: 'buffer', maxBuffer: Infinity })).stdout
}

/**
 * The environment without settings of npm, whose proxies, caches and registries would decide what is installed, and
 * without tap's modules in each process.
 */
function environment (registry: string, folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^node_options$|proxy$/i.test(name))
  const settings = {
    registry,
    cache: join(folder, 'cache'),
    userconfig: join(folder, 'user'),
    globalconfig: join(folder, 'all'),
    audit: 'false',
    fund: 'false',
    yes: 'true',
    update_notifier: 'false'
  }
  const named = Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value])
  return { ...Object.fromEntries(own), ...Object.fromEntries(named) as NodeJS.ProcessEnv }
}
