import { test } from 'tap'
import { DataApiError } from '../../lib/core/errors/errors.ts'
import { parseQuery } from '../../lib/core/request/query.ts'
import type { FieldAsked, Filter, Query, ValueText } from '../../lib/core/request/request.ts'
import { compileSyntax } from '../../lib/core/request/syntax.ts'

const syntax = compileSyntax({})

/** Tests that each text of a table is read as the query beside it, which is written as brief() writes it. */
export function reads (table: Record<string, unknown>) {
  for (const [text, expected] of Object.entries(table)) {
    test(`'${text}' is read`, async t => { t.same(brief(parseQuery(text, syntax)), expected) })
  }
}

/** Tests that each text of a table is read as the one filter beside it. */
export const filters = (table: Record<string, unknown>) =>
  reads(Object.fromEntries(Object.entries(table).map(([text, filter]) => [text, { filters: [filter] }])))

/** Tests that each text of a table is refused with the error beside it, under these options. */
export function refuses (
  table: Record<string, readonly [code: string, parameter: string, position: number, message: string | RegExp]>,
  options = {}
) {
  for (const [text, [code, parameter, position, message]] of Object.entries(table)) {
    test(`'${text.length > 60
      ? `${text.slice(0, 60)}...`
      : text}' is refused${Object.keys(options).length > 0 ? ` with ${JSON.stringify(options)}` : ''}`, async t => {
      t.throws(() => parseQuery(text, compileSyntax(options)),
        { constructor: DataApiError, code, message, facts: { parameter, position } })
    })
  }
}

/**
 * Returns a query in few words: a comparison is [path, operator, ...values], a group { all | any | not }; `text` is a
 * raw value, ['text'] a quoted one.
 */
export const brief = (query: Query) => ({
  ...query.filters.length > 0 && { filters: query.filters.map(briefFilter) },
  ...query.sort && {
    sort: query.sort.map(({ path, descending }) => `${path.join('.')} ${descending ? 'down' : 'up'}`)
  },
  ...query.fields && { fields: query.fields.map(briefField) },
  ...Object.keys(query.page).length > 0 && {
    page: Object.fromEntries(
      Object.entries(query.page).map(([kind, value]: [string, ValueText]) => [kind, briefValue(value)])
    )
  }
})

const briefValue = ({ text, quoted }: ValueText) => quoted ? [text] : text
const briefField = ({ name, query }: FieldAsked): unknown => query === undefined ? name : { name, query: brief(query) }

function briefFilter (filter: Filter): unknown {
  if (filter.kind === 'not') return { not: briefFilter(filter.of) }
  if (filter.kind === 'some') return { some: filter.path.join('.'), of: briefFilter(filter.of) }
  if (filter.kind === 'compare') return [filter.path.join('.'), filter.operator, ...filter.values.map(briefValue)]
  return { [filter.kind]: filter.of.map(briefFilter) }
}
