import { distincts } from '../../../core/model/identifiers.ts'
import type { Collection, Field, StoredField } from '../../../core/model/model.ts'
import { generateCreate, generateValue } from './bodies.ts'
import type { ValueGenerator } from '../world/generator.ts'
import { type ApiModel, generateCollection } from './resources.ts'
import type { SentRequest } from '../serving/send.ts'

/** Returns the import of a stream of new items, of which some may exist, or be wrong. */
export function generateImport (generator: ValueGenerator, collection: Collection, path: string): SentRequest {
  const count = generator.weighted([1, 0], [3, 1], [4, 3], [4, 7])
  const isCsv = generator.chance(40)
  const resolution = generator.weighted([6, undefined], [2, 'merge'], [2, 'ignore'])
  const preferences = [
    ...generator.chance(15) ? ['dry-run'] : [], ...resolution === undefined ? [] : [`resolution=${resolution}`]
  ]
  const by = resolution === undefined || generator.chance(60) ? undefined : generator.from(distincts(collection).flat())
  const type = isCsv
    ? generator.of(['text/csv', 'text/csv; formulas=escaped'])
    : generator.of(['application/x-ndjson', 'application/jsonl'])
  return {
    method: 'POST',
    url: by === undefined ? path : `${path}?by=${encodeURIComponent(by.name)}`,
    headers: { 'content-type': type, ...preferences.length > 0 && { prefer: preferences.join(', ') } },
    body: isCsv ? csvOf(generator, collection, count) : linesOf(generator, collection, count)
  }
}

/** Returns the import into a collection, or behind a relation. */
export function importInto (generator: ValueGenerator, api: ApiModel): SentRequest {
  const { path, collection } = generateCollection(generator, api, 2)
  return generateImport(generator, collection, path)
}

/** Returns new items, of which most have the same members, as a line each. */
function linesOf (generator: ValueGenerator, collection: Collection, count: number): string {
  const first = generateCreate(generator, collection, 1)
  const members = JSON.parse(first) as object
  const alike = [...collection.fields.values()].filter(({ name }) => Object.hasOwn(members, name))
  return [first, ...Array.from({ length: Math.max(count - 1, 0) }, () => {
    if (generator.chance(15)) return generator.chance(90) ? generateCreate(generator, collection, 1) : ''
    const texts = alike.map(field => [field.name, generateValue(generator, field, collection)] as const)
    return `{${texts.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
  })].slice(0, count).join('\n')
}

function csvOf (generator: ValueGenerator, collection: Collection, count: number): string {
  const fields = [...collection.fields.values()].filter(field =>
    field.writable ? field.kind === 'stored' || generator.chance(30) : generator.chance(1))
  const rows = Array.from({ length: count }, () => fields.map(field => {
    const json = generateValue(generator, field, collection)
    return json === 'null' ? '' : quote(isText(field) ? textOf(json) : json)
  }))
  const short = generator.chance(4) ? [['1']] : []
  return [fields.map(({ name }) => quote(name)), ...rows, ...short].map(row => row.join(',')).join('\r\n')
}

const isText = (field: Field): field is StoredField => field.kind === 'stored' && field.type.kind !== 'json'

/** Returns the text of a string, and other JSON as it is. */
function textOf (json: string): string {
  const value: unknown = JSON.parse(json)
  return typeof value === 'string' ? value : json
}

const quote = (text: string) => /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text
