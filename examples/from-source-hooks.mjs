import { readFileSync } from 'node:fs'

const { name, exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Finds the sources of an entry of the package: `fastify-data-api/client` is `lib/clients/client/index.ts`. */
export function resolve (specifier, context, nextResolve) {
  const entry = specifier.startsWith(name) ? exports[`.${specifier.slice(name.length)}`] : undefined
  if (entry?.default === undefined) return nextResolve(specifier, context)
  const source = entry.default.replace('./dist/', '../').replace(/\.js$/, '.ts')
  return { url: new URL(source, import.meta.url).href, shortCircuit: true }
}
