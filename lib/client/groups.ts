import type { AnyQuery } from './query.ts'

/** The query of a request of groups as own code and clients give it. types/groups.ts types it for users. */
interface Asked extends AnyQuery {
  readonly by?: ReadonlyArray<string | Readonly<Record<string, unknown>>>
  readonly count?: boolean
  readonly where?: object
  readonly having?: object
}

const calls = ['count_distinct', 'sum', 'avg', 'min', 'max']

/** Returns the query of a list whose selection makes the groups (docs/http.md: Groups). */
export function groupsQuery ({ by = [], count, where, having, ...rest }: Asked): AnyQuery {
  const query: Record<string, unknown> = { ...rest }
  const shared = ([name, value]: [string, unknown]) =>
    typeof value === 'string' ? `${name}.${value}()` : { [name]: value }
  const fields: unknown[] = by.flatMap(one => typeof one === 'string' ? one : Object.entries(one).map(shared))
  if (count) fields.push('count()')
  for (const call of calls) {
    for (const name of (query[call] ?? []) as string[]) fields.push(`${name}.${call}()`)
    delete query[call]
  }
  return { ...query, fields, where: { and: [where ?? {}, having ?? {}] } }
}
