import { build } from 'esbuild'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

// node .github/package.mjs <folder>: makes what `npm run build` has left in `dist` of a folder the code that is
// published. The code is bundled, because a process that imports 170 files needs twice the time of one that imports
// 25. The bundles are one graph with shared parts, so a class is the same by whichever entry it is imported. Source
// maps name the sources as the repository does, so that a stack trace has their lines. Those of the code for browsers
// also hold the sources, which bundlers look for; in the others they would be a third of the package. Of the
// declarations those stay that an entry leads to.

const [folder = '.'] = process.argv.slice(2)
const forBrowsers = ['client', 'react-admin', 'tanstack-db'].map(room => `clients/${room}/index`)
const { exports: entries, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const built = ['lib', 'schemas'].flatMap(room => filesIn(join(folder, 'dist', room)))

for (const file of built.filter(name => name.endsWith('.js'))) rmSync(file)
await bundle()

const needed = new Set()
for (const { types } of Object.values(entries)) if (types !== undefined) follow(resolve(folder, types))
for (const file of built.filter(name => name.endsWith('.d.ts'))) if (!needed.has(resolve(file))) rmSync(file)

function filesIn (directory) {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
  return found.filter(one => one.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Writes the entries of the package, and the program of the reading thread, which stands beside the shared parts. */
async function bundle () {
  const programs = [...Object.values(entries).map(one => one.default), ...Object.values(bin)].filter(Boolean)
  const names = programs.map(path => path.replace(/^(?:\.\/)?dist\/lib\/(.+)\.js$/, '$1'))
  const entryPoints = Object.fromEntries(names.map(name => [name, `lib/${name}.ts`]))
  const outdir = resolve(folder, 'dist/lib')
  const { outputFiles, metafile: { outputs } } = await build({
    entryPoints: { ...entryPoints, 'reading-thread': 'lib/core/sources/sql/sqlite/reading-thread.ts' },
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    metafile: true
  })
  const browsers = new Set(forBrowsers.map(name => relative('.', join(outdir, `${name}.js`))))
  // A set goes through what is added meanwhile.
  for (const path of browsers) for (const one of outputs[path].imports) if (!one.external) browsers.add(one.path)
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    const code = relative('.', path.replace(/\.map$/, ''))
    writeFileSync(path, path.endsWith('.map') ? shortened(text, path, browsers.has(code)) : text)
  }
}

/** Returns a source map that names its sources by where they stand beside `dist` in the repository. */
function shortened (text, path, holdsSources) {
  const { sourcesContent, ...map } = JSON.parse(text)
  const place = dirname(path)
  const toRoot = relative(place, resolve(folder))
  const sources = map.sources.map(source => join(toRoot, relative('.', resolve(place, source))))
  return JSON.stringify({ ...map, sources, ...holdsSources && { sourcesContent } })
}

/** Adds a declaration, and those that it imports. */
function follow (file) {
  if (needed.has(file)) return
  needed.add(file)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import\(|import) ?['"](\.[^'"]+)['"]/g)) {
    follow(resolve(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')))
  }
}
