import type { AnyQuery } from './query.ts'

/** The query of a request of groups as own code and clients give it. types/groups.ts types it for users. */
interface Asked extends AnyQuery {
  readonly by?: ReadonlyArray<string | Readonly<Record<string, unknown>>>
  readonly count?: boolean
  readonly where?: object
  readonly having?: object
}

/** The functions that take a list of fields. */
export const calls = ['count_distinct', 'sum', 'avg', 'min', 'max']

/** Returns the query of a list whose selection makes the groups (docs/http.md: Groups). */
export function groupsQuery ({ by = [], count, where, having, ...rest }: Asked): AnyQuery {
  const query: Record<string, unknown> = { ...rest }
  const shared = ([name, value]: [string, unknown]) =>
    typeof value === 'string' ? `${name}.${value}()` : { [name]: value }
  const fields: unknown[] = by.flatMap(one => typeof one === 'string' ? one : Object.entries(one).map(shared))
  fields.push(...callsIn({ ...query, count }))
  for (const call of calls) delete query[call]
  return { ...query, fields, where: { and: [where ?? {}, having ?? {}] } }
}

/** Returns the names in URLs of the functions that a query asks for. */
export const callsIn = (asked: AnyQuery): readonly string[] => [
  ...asked['count'] === true ? ['count()'] : [],
  ...calls.flatMap(call => [asked[call] ?? []].flat().map(name => `${name as string}.${call}()`))
]
