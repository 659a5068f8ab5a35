import { createRequire } from 'node:module'
import type { Ajv, Options } from 'ajv'
import type addFormats from 'ajv-formats'

const require = createRequire(import.meta.url)

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
