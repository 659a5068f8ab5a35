import Fastify, { type FastifyInstance } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Api } from '../../core/api/answer.ts'
import { orNearest } from '../../core/errors/suggest.ts'
import dataApi, { type DataApiOptions } from '../../index.ts'
import { standIns } from '../../plugin/stand-ins.ts'
import { CommandError, explain } from './terminal.ts'

type Exports = Readonly<Record<string, unknown>>

/**
 * Imports a module and returns its export of that name, or the one that an application most often has. `again`: another
 * number runs the module once more, so that an application that it makes is another one.
 */
export async function importExport (file: string, name: string | undefined, again = 0): Promise<unknown> {
  return chooseExport(await importModule(file, again), file, name)
}

async function importModule (file: string, again: number): Promise<Exports> {
  const path = resolve(file)
  if (!existsSync(path)) throw new CommandError(`there is no file '${file}'; name a module, or a URL with http://`)
  try {
    return await import(`${pathToFileURL(path).href}${again === 0 ? '' : `?${again}`}`) as Exports
  } catch (cause) {
    const isSource = cause instanceof Error && 'code' in cause && cause.code === 'ERR_UNKNOWN_FILE_EXTENSION'
    const advice = isSource ? '; name the compiled file, or use Node.js 22.18 or later' : ''
    throw new CommandError(`'${file}' cannot be imported (${explain(cause)})${advice}`, { cause })
  }
}

function chooseExport (exports: Exports, file: string, wanted: string | undefined): unknown {
  const names = Object.keys(exports)
  if (wanted !== undefined) {
    if (wanted in exports) return exports[wanted]
    throw new CommandError(`'${file}' does not export '${wanted}'${orNearest(wanted, names)}`)
  }
  const name = ['default', 'app', 'options', 'collections'].find(one => one in exports) ?? (names[1] ? '' : names[0])
  if (name !== undefined && name in exports) return exports[name]
  const list = names.length === 0 ? 'nothing' : names.join(', ')
  throw new CommandError(`'${file}' exports ${list}; --export names the application or its collections`)
}

/** Returns the application that an export is or makes, or one that serves the options or collections that it is. */
export async function appOf (exported: unknown, file: string): Promise<FastifyInstance> {
  const value = typeof exported === 'function' ? await callExport(exported as Exported) : await exported
  if (isApp(value)) return value
  if (isObject(value)) {
    const options = 'collections' in value ? value : { collections: value, rules: open }
    const app = Fastify()
    await app.register(dataApi, options as unknown as DataApiOptions)
    return app
  }
  throw new CommandError(`'${file}' exports neither an application nor its collections; --export names another export`)
}

// Collections alone need not say who may do what: the registration that says it is not known.
const open = { read: true, create: true, update: true, delete: true } as const

/**
 * Builds the application of a module, and returns the APIs that it registers. The declarations are not compared with
 * the tables, which may not be there yet.
 */
export async function apisOf (file: string, name: string | undefined): Promise<readonly Api[]> {
  const apis: Api[] = []
  const registering = () => ({ checks: false, registered: (api: Api) => { apis.push(api) } })
  await standIns.run({ collections: declared => declared, registering }, async () => {
    const app = await appOf(await importExport(file, name), file)
    try {
      await app.ready()
    } finally {
      await app.close()
    }
  })
  if (apis.length > 0) return apis
  throw new CommandError(`the application of '${file}' has not registered fastify-data-api`)
}

type Exported = (app?: FastifyInstance, options?: object, done?: () => void) => unknown

/** A function without parameters builds the application; any other is a plugin, or takes options. */
async function callExport (exported: Exported): Promise<unknown> {
  if (exported.length === 0) return await exported()
  const app = Fastify()
  let built: unknown
  const plugin = exported.length > 2
    ? exported
    : async (scope: FastifyInstance, options: object) => { built = await exported(scope, options) }
  try {
    await app.register(fastifyPlugin(plugin as Parameters<typeof fastifyPlugin>[0]))
  } catch (cause) {
    const advice = '--export names the collections instead; or name the URL of the running API'
    const reason = `takes parameters, and fails as a plugin (${explain(cause)})`
    throw new CommandError(`${nameOf(exported)} ${reason}; ${advice}`, { cause })
  }
  return isApp(built) ? built : app
}

const nameOf = ({ name }: Exported) => name === '' ? 'the exported function' : `the function '${name}'`

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isApp = (value: unknown): value is FastifyInstance =>
  isObject(value) && 'hasDecorator' in value && 'ready' in value
