import type { RelationField } from '../../../core/model/model.ts'
import { memoryView } from '../../../core/sources/memory/view.ts'
import { generateCreate, generateUpdate, mergePatchType } from './bodies.ts'
import type { ValueGenerator, Weighted } from '../world/generator.ts'
import { type ApiModel, encodeText, keySegment, relationsOf } from './resources.ts'
import type { SentRequest } from '../serving/send.ts'

/** Returns a batch of writes, some of which refer to an item that one of them creates. `write`: makes a write. */
export function generateBatch (generator: ValueGenerator, api: ApiModel, write: () => SentRequest): SentRequest {
  const { prefix } = api.options
  const referring = generator.chance(60) ? generateReferring(generator, api) : []
  const length = generator.below(2) + (referring.length === 0 ? 1 : 0)
  const others = Array.from({ length }, () => toOperation(write(), prefix))
  const operations = generator.chance(50) ? [...others, ...referring] : [...referring, ...others]
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', url: `${prefix}/`, headers, body: `[${operations.join(',')}]` }
}

export function toOperation ({ method, url, headers, body }: SentRequest, prefix: string): string {
  const [, returns] = /return=(\w+)/.exec(headers['prefer'] ?? '') ?? []
  return operation(method, url.slice(prefix.length), body, {
    ...headers['content-type'] === mergePatchType && { merge: true },
    if_match: headers['if-match'],
    if_none_match: headers['if-none-match'],
    return: returns
  })
}

/** Bodies are texts, because JSON.stringify() cannot write all numbers of JSON. */
export function operation (method: string, path: string, body: string | undefined, others: object = {}): string {
  const head = JSON.stringify({ method, path, ...others })
  return body === undefined ? head : `${head.slice(0, -1)},"body":${body}}`
}

/** Returns the creation of an item, and other operations that write it or refer to it. */
function generateReferring (generator: ValueGenerator, { model }: ApiModel): readonly string[] {
  const collections = [...model.collections.values()]
  const collection = generator.of(collections)
  const relation = generator.from(relationsOf(collection, 'sub-collection'))
  const referrer = generator.from(collections.flatMap(one => relationsOf(one, 'sub-item', 'sub-collection'))
    .filter(one => one.writable && one.target === collection))
  const choices: Weighted<() => string> = [
    [2, () => operation('PATCH', '/$new', generateUpdate(generator, collection, 1))],
    [relation === undefined ? 0 : 3, () => operation(
      'POST', `/$new/${encodeText(relation?.name ?? '')}`, relation && generateCreate(generator, relation.target, 1)
    )],
    [referrer === undefined ? 0 : 4, () => generateReference(generator, referrer)],
    [1, () => operation('DELETE', '/$new', undefined)]
  ]
  return [
    operation('POST', `/${encodeText(collection.name)}`, generateCreate(generator, collection, 1), { as: 'new' }),
    ...Array.from({ length: 1 + generator.below(2) }, () => generator.weighted(...choices)())
  ]
}

/** Returns an operation that names the new item in a relation: of an item that exists, or of another new one. */
function generateReference (generator: ValueGenerator, field: RelationField | undefined): string {
  if (field === undefined) throw new TypeError('nothing refers to the collection')
  const { holder, kind, name } = field
  const member = `${JSON.stringify(name)}:${kind === 'sub-item' ? '{"$":"new"}' : '[{"$":"new"}]'}`
  const row = generator.from(memoryView(holder).rows())
  const path = `/${encodeText(holder.name)}`
  return row === undefined || generator.chance(40)
    ? operation('POST', path, withMember(generateCreate(generator, holder, 1), member))
    : operation(generator.of(['PATCH', 'PUT']), `${path}/${keySegment(row, holder)}`, `{${member}}`)
}

/** The last of two members of a name counts. */
const withMember = (object: string, member: string): string =>
  object === '{}' ? `{${member}}` : `${object.slice(0, -1)},${member}}`
