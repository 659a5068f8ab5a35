import type { FastifyInstance } from 'fastify'
import { toName } from '../model/names.ts'
import type { CollectionDesign, Design } from './scaffold/design.ts'

/** Returns the path of the directory. */
export const rootOf = (prefix: string): string => prefix === '' ? '/' : prefix

/** Returns further paths that a user can try: each of them was answered with 200. */
export async function urlsToTry (
  app: FastifyInstance, { collections }: Design, prefix: string
): Promise<readonly string[]> {
  const get = async (path: string): Promise<unknown> => {
    const answer = await app.inject(path)
    return answer.statusCode === 200 ? answer.json() as unknown : undefined
  }
  const best = collections.toSorted((one, other) => relations(other).length - relations(one).length)
  for (const collection of best.slice(0, 5)) {
    const path = `${prefix}/${encodeURIComponent(wire(collection.property))}`
    const keys = await get(`${path}/by_${keyOf(collection)}?limit=1`)
    const [key] = typeof keys === 'object' && keys !== null ? Object.keys(keys) : []
    if (key === undefined) continue
    const candidates = [`${path}?limit=5`, `${path}/${encodeURIComponent(key)}`, selection(path, collection)]
    const answered: string[] = []
    for (const url of candidates) if (url !== undefined && await get(url) !== undefined) answered.push(url)
    return [...answered, `${prefix}/openapi.json`]
  }
  return [`${prefix}/openapi.json`]
}

const wire = (property: string) => toName('snake_case', property)

const relations = ({ fields }: CollectionDesign) => fields.filter(({ kind }) => kind === 'sub-item')

function keyOf ({ key, fields }: CollectionDesign): string {
  const first = fields.find(field => field.kind === 'scalar' && field.flags.identifier === true)
  return encodeURIComponent(wire(key?.[0] ?? first?.property ?? ''))
}

function selection (path: string, collection: CollectionDesign): string | undefined {
  const [relation] = relations(collection)
  const plain = collection.fields.find(({ kind, flags }) =>
    kind === 'scalar' && flags.readable === true && flags.identifier !== true)
  if (relation === undefined || plain === undefined) return undefined
  const names = [plain, relation].map(({ property }) => encodeURIComponent(wire(property)))
  return `${path}?fields=${names.join(',')}&limit=5`
}
