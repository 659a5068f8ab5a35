import { readdirSync } from 'node:fs'
import { relative } from 'node:path'

// The coverage of a run is that of lib and schemas. Tests also load parts of benchmarks, and start what was built.

const covered = ['lib', 'schemas']
  .flatMap(folder => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter(entry => entry.isFile())
  .map(({ parentPath, name }) => `${relative('.', parentPath)}/${name}`)
  .filter(path => process.env.WITHOUT_POSTGRES !== '1' || !path.includes('postgres'))

/** Returns the files whose coverage a test counts for. */
export default () => covered
