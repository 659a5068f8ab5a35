import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Each test file is a process, and each loads most of lib: what one has stripped, the others read.
const cache = new URL('../../.tap/stripped/', import.meta.url)
mkdirSync(cache, { recursive: true })

// tap follows every promise to the test that made it, to name that test where an error is thrown that nothing catches.
// That took a third of a run's CPU. Without it such an error ends the process, and tap names the file.
const domain = { format: 'module', shortCircuit: true, source: 'export class Domain { destroy () {} }' }

// Each process loads 400 modules of packages. tap would note each of them and parse its source map, which took half of
// the start of a process.
const isPackaged = (url, { format }) => format === 'module' && /^file:.*\/node_modules\/.*\.m?js$/.test(url)

export async function load (url, context, nextLoad) {
  if (url.endsWith('/async-hook-domain/dist/mjs/index.js')) return domain
  if (isPackaged(url, context)) {
    const text = readFileSync(fileURLToPath(url), 'utf8')
    return { format: 'module', shortCircuit: true, source: text.replace(/^\/\/# sourceMappingURL=.*$/m, '') }
  }
  if (!/^file:.*\.m?ts$/.test(url)) return nextLoad(url, context)
  const text = readFileSync(fileURLToPath(url), 'utf8')
  return { format: 'module', shortCircuit: true, source: `${await strip(text)}\n//# sourceURL=${url}` }
}

async function strip (text) {
  const file = new URL(`${createHash('sha256').update(text).digest('hex')}.js`, cache)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const { default: stripTypes } = await import('ts-blank-space')
  const stripped = stripTypes(text)
  // Another process may read it meanwhile.
  const draft = new URL(`${file.href}.${process.pid}`)
  writeFileSync(draft, stripped)
  renameSync(draft, file)
  return stripped
}
