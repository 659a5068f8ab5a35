import { createRequire } from 'node:module'
import type { Ajv, Options } from 'ajv'
import type addFormats from 'ajv-formats'

const require = createRequire(import.meta.url)

let made: Ajv | undefined

/** Returns the Ajv that checks options and formats, which is made at its first use. */
export function sharedAjv (): Ajv {
  // With strictNumbers, Ajv would refuse Infinity, which means that there is no limit. The schemas are the plugin's own
  // and tested, so Ajv need not check them: that would take 60 ms.
  made ??= makeAjvWithFormats({ strictNumbers: false, meta: false, validateSchema: false, verbose: true })
  return made
}

/** Makes an Ajv. Ajv is loaded at the first call: loading the plugin must not cost what only a registration needs. */
export function makeAjv (options: Options): Ajv {
  // The types describe the module of this name.
  const { Ajv } = require('ajv') as typeof import('ajv')
  return new Ajv(options)
}

/** Makes an Ajv that knows the formats of JSON Schema. */
export function makeAjvWithFormats (options: Options): Ajv {
  const formats = require('ajv-formats') as typeof addFormats
  return formats.default(makeAjv(options))
}
