import type { DocumentOptions } from '../../../schemas/openapi.ts'
import type { Document } from './objects.ts'
import { inVersionOf } from './versions.ts'

/** A registration of the plugin, as far as merging needs it. */
interface Registered { readonly prefix: string, openapi (options: DocumentOptions): Document }

/** An OpenAPI document of the application, as @fastify/swagger makes it. */
export interface HostDocument {
  readonly openapi?: string | undefined
  readonly paths?: object | undefined
  readonly tags?: ReadonlyArray<{ readonly name?: string | undefined }> | undefined
  readonly components?: Components | undefined
}

interface Components {
  readonly schemas?: object | undefined
  readonly responses?: object | undefined
  readonly parameters?: object | undefined
}

/**
 * Returns the application's document with the paths and components of the registrations. The names of components begin
 * with the registration's prefix, so that they clash neither with each other nor with the application's.
 */
export function mergeDocuments<D extends HostDocument> (host: D, registrations: Iterable<Registered>): D {
  let merged: HostDocument = host
  for (const one of registrations) {
    const document = one.openapi({ componentPrefix: nameOf(one.prefix), operationIds: operationIdsOf(merged) })
    merged = mergeOne(merged, inVersionOf(host, document), one.prefix)
  }
  return merged as D
}

const operationIdsOf = ({ paths = {} }: HostDocument): readonly string[] =>
  (Object.values(paths) as object[]).flatMap(path => Object.values(path) as Array<{ readonly operationId?: string }>)
    .flatMap(({ operationId }) => operationId ?? [])

/** `/api/v1` is `ApiV1`; the root is `DataApi`. */
const nameOf = (prefix: string) => prefix.split(/[^A-Za-z0-9]+/).map(word =>
  word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'DataApi'

function mergeOne (host: HostDocument, { paths, tags, components }: Document, prefix: string): HostDocument {
  const pathOf = (path: string) => path === '/' && prefix !== '' ? prefix : prefix + path
  const own = Object.entries(paths).map(([path, item]) => [pathOf(path), item])
  return {
    ...host,
    paths: { ...host.paths, ...Object.fromEntries(own) },
    tags: [...host.tags ?? [], ...tags.filter(({ name }) => !host.tags?.some(tag => tag.name === name))],
    components: {
      ...host.components,
      schemas: { ...host.components?.schemas, ...components.schemas },
      responses: { ...host.components?.responses, ...components.responses },
      parameters: { ...host.components?.parameters, ...components.parameters }
    }
  }
}
