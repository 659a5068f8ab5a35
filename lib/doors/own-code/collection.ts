import { groupsQuery } from '../../clients/client/groups.ts'
import type { Members, OwnItems } from '../../core/api/own-face.ts'
import { invalidParameter } from '../../core/errors/errors.ts'
import { checkMembers, groupMembers, listMembers, memberPlace, parsedQuery, returnedOf } from './parsed.ts'

/** Returns the items of a collection as own code has them: with the queries of the client, as objects. */
export function makeCollection (items: OwnItems): object {
  return Object.freeze({
    list: async (query: Members = {}) => items.list(parsedQuery(query, listMembers), query['count'] === true),
    stream: (query: Members = {}) => items.stream(parsedQuery(query, streamMembers)),
    count: async (where?: unknown) => items.count(parsedQuery({ where }, ['where'])),
    async groups (query: Members) {
      checkMembers(query, groupMembers)
      return items.groups(parsedQuery(groupsQuery(query), listMembers))
    },
    find: async (id: unknown, query: Members = {}) => items.find(id, parsedQuery(query, ['fields'])),
    get: async (id: unknown, query: Members = {}) => items.get(id, parsedQuery(query, ['fields'])),
    create: async (values: unknown, options: Members = {}) => items.create(values, returnedOf(options)),
    update: async (id: unknown, changes: unknown, options: Members = {}) =>
      items.update(id, changes, returnedOf(options, ['returning', 'merge']), options['merge'] === true),
    upsert: async (id: unknown, values: unknown, options: Members = {}) =>
      items.upsert(id, values, returnedOf(options)),
    updateEach: async (changed: unknown, options: Members = {}) => items.updateEach(changed, returnedOf(options)),
    add: async (id: unknown, name: string, addend: unknown) => items.add(id, name, addend),
    delete: async (id: unknown) => items.delete(id),
    updateMany: async (where: unknown, changes: unknown, options: Members = {}) =>
      items.updateMany(parsedQuery({ where }, ['where']), changes, mostOf(options)),
    deleteMany: async (where: unknown, options: Members = {}) =>
      items.deleteMany(parsedQuery({ where }, ['where']), mostOf(options)),
    async import (values: Parameters<OwnItems['import']>[0], options: Members = {}) {
      checkMembers(options, ['merge', 'ignore', 'dryRun'])
      const { merge, ignore, dryRun } = options
      const resolution = merge === undefined ? ignore === undefined ? undefined : 'ignore' : 'merge'
      const by = merge ?? ignore
      return items.import(values, { resolution, by: typeof by === 'string' ? by : undefined, dryRun: dryRun === true })
    }
  })
}

const streamMembers = listMembers.filter(name => name !== 'count')

function mostOf (options: Members): number {
  checkMembers(options, ['max'])
  const most = options['max'] ?? Infinity
  if (most === Infinity || (Number.isInteger(most) && Number(most) >= 0)) return Number(most)
  throw invalidParameter("'max' must be a whole number.", memberPlace('max'))
}
