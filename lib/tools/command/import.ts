import type { FastifyInstance } from 'fastify'
import type { Readable } from 'node:stream'
import { printable } from '../../core/errors/printable.ts'
import { prepare, preparingFlags } from './prepare.ts'
import type { Flags } from './flags.ts'
import type { Command } from './run.ts'
import type { Design } from './scaffold/design.ts'
import { makeApp } from './serve.ts'
import { CommandError, type Terminal } from './terminal.ts'

/** Imports the lines of standard input into a collection of a database: all, or none. */
export const importCommand: Command = {
  flags: { ...preparingFlags, merge: 'text', ignore: 'text', ndjson: 'switch', 'dry-run': 'switch' },
  async run (flags, terminal) {
    if (flags.given.length !== 2) {
      throw new CommandError('name a database and a collection: import music.db artists < artists.csv', { exitCode: 2 })
    }
    const { database, design } = await prepare(flags, { write: true }, terminal)
    try {
      if (database.kind === 'sqlite' && database.file === undefined) {
        throw new CommandError('the files of a folder are never written; name a SQLite file or postgres://…')
      }
      const serving = { host: '127.0.0.1', prefix: '', write: true, imports: true }
      const app = await makeApp(database, withForeignKeys(design), serving, terminal)
      const code = await importFrom(terminal.input ?? process.stdin, app, flags, terminal)
      await app.close()
      return code
    } finally {
      await database.db.close()
    }
  }
}

/** Foreign keys are columns of a file: a line need not name a sub-item by JSON. */
function withForeignKeys (design: Design): Design {
  const collections = design.collections.map(collection => {
    const keys = collection.fields.flatMap(field => field.kind === 'sub-item' ? field.foreignKey : [])
    const fields = collection.fields.map(field => field.kind === 'scalar' && keys.includes(field.property)
      ? { ...field, flags: { ...field.flags, writable: true as const } }
      : field)
    return { ...collection, fields }
  })
  return { ...design, collections }
}

async function importFrom (
  payload: Readable, app: FastifyInstance, flags: Flags, { out, error }: Terminal
): Promise<number> {
  const [, name = ''] = flags.given
  const by = flags.text('merge') ?? flags.text('ignore')
  const resolution = flags.has('merge') ? 'merge' : 'ignore'
  const isTried = flags.has('dry-run')
  let broken: Error | undefined
  payload.once('error', error => { broken = error })
  const preferences = [...isTried ? ['dry-run'] : [], ...by === undefined ? [] : [`resolution=${resolution}`]]
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: `/${encodeURIComponent(name)}${by === undefined ? '' : `?by=${encodeURIComponent(by)}`}`,
    headers: {
      'content-type': flags.has('ndjson') ? 'application/x-ndjson' : 'text/csv',
      ...preferences.length > 0 && { prefer: preferences.join(', ') }
    },
    payload
  })
  if (broken !== undefined) throw new CommandError(`the lines cannot be read: ${broken.message}; nothing was imported`)
  const { status: _status, ...told } = JSON.parse(body) as Answer
  if (statusCode < 300) {
    const counts = Object.entries(told).map(([word, count]) => `${String(count)}${word === 'count' ? '' : ` ${word}`}`)
    out(`${isTried ? 'can be imported' : 'imported'}: ${counts.join(', ')}\n`)
    return 0
  }
  const faults = told.details ?? [told]
  for (const { line, pointer = '', message = '' } of faults) {
    const place = line === undefined ? '' : `line ${line}: `
    error(`${printable(place + sentenceOf(pointer.slice(1), message))}\n`)
  }
  error('nothing was imported\n')
  return 1
}

/** Returns the message about a member of a line, as a sentence about the file. */
function sentenceOf (name: string, message: string): string {
  const told = message.replace(/^The body\b/, 'The file')
  if (!message.startsWith(noField)) return name === '' ? told : `${name} ${told}`
  if (name === '') return 'a column has no name; a comma at the end of the first line makes one'
  const [delimiter] = /[;\t|]/.exec(name) ?? []
  const advice = delimiter === undefined ? message.slice(noField.length) : '; columns are separated by commas'
  return `there is no field '${name}'${advice}`
}

const noField = 'there is no such field'

interface Fault { readonly line?: number, readonly pointer?: string, readonly message?: string }
interface Answer extends Fault { readonly status?: string, readonly details?: readonly Fault[] }
