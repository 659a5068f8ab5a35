import { list } from './page.ts'
import { encode, located, segment } from './path.ts'
import type { AnyQuery } from './query.ts'
import type { RequestOptions, Send } from './send.ts'
import { stream } from './stream.ts'
import { readItem, writer } from './write.ts'

/**
 * Returns the functions of the resource at a path, and a property for each resource below it. The resource can be a
 * collection or an item, so a function of an item takes an identifier first where the resource is a collection.
 */
export function resource (send: Send, path: string): unknown {
  const below = (segments: string) => resource(send, path + segments)
  const named = (name: string) => below(`/${encode(name)}`)
  const call = (query: AnyQuery = {}, options?: RequestOptions) => ({ ...options, path, query })
  const methods = {
    list: (query?: AnyQuery, options?: RequestOptions) => list(send, call(query, options)),
    stream: (query?: AnyQuery, options?: RequestOptions) => stream(send, call(query, options)),
    count: async (where?: object, options?: RequestOptions) =>
      (await list(send, call({ where, size: 0, count: true }, options))).total,
    get: async (...given: unknown[]) => {
      const at = located(path, given)
      const [query = {}, options] = given as [AnyQuery?, RequestOptions?]
      return send({ ...options, path: at, query }, readItem)
    },
    create: writer(send, path, 'POST'),
    replace: writer(send, path, 'PUT'),
    update: writer(send, path, 'PATCH'),
    upsert: writer(send, path, 'PUT'),
    delete: writer(send, path, 'DELETE'),
    item: (id: unknown) => below(segment(id)),
    resource: named,
    // A resource is not thenable, so that `await` returns it.
    then: undefined
  }
  return new Proxy<Readonly<Record<PropertyKey, unknown>>>(methods, {
    get: (target, name) => name in target || typeof name === 'symbol' ? target[name] : named(name)
  })
}
