import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Each process of tests loads most of lib: what one has stripped, the others read.
const cache = new URL('../../.tap/stripped/', import.meta.url)
mkdirSync(cache, { recursive: true })

export async function load (url, context, nextLoad) {
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
