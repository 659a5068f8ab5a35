import { callsIn } from './groups.ts'
import { formatWhere } from './where.ts'

/** A query as the functions of this room take it. types/ types it for users. */
export interface AnyQuery { readonly [parameter: string]: unknown }

export const encode = (value: unknown): string => encodeURIComponent(value as string)

/** Returns a query as the text of a URL, after a mark, if it has any parameters. */
export function queryText (query: AnyQuery, mark = ''): string {
  const text = parametersOf(query).map(parameter => encode(parameter).replace('%3D', '=')).join('&')
  return text && mark + text
}

/**
 * Returns the parameters of a query string (docs/http.md: Query strings), with the names that no field can have.
 * Members that are undefined are none; those that are true or false are headers.
 */
const parametersOf = (query: AnyQuery, inside?: boolean): readonly string[] =>
  // Inside of a selection, names come before the other parameters.
  Object.entries({ fields: null, ...query }).flatMap(([name, value]: [string, unknown]) => {
    if (value == null || typeof value === 'boolean') return []
    if (name === 'where') return formatWhere(value as object, inside).map(filter => `.where=${filter}`)
    const text = name === 'fields' ? formatFields(value as Fields) : value
    return (inside && name === 'fields' ? '' : `.${name === 'limit' ? 'size' : name}=`) + (text as string)
  })

type Fields = ReadonlyArray<string | Readonly<Record<string, Fields | AnyQuery>>>

const formatFields = (fields: Fields): readonly string[] => fields.flatMap(field => {
  if (typeof field === 'string') return field
  return Object.entries(field).flatMap(([name, nested]) => {
    const called = callsIn(nested as AnyQuery)
    if (called.length > 0) return called.map(call => `${name}.${call}`)
    const parts = parametersOf(Array.isArray(nested) ? { fields: nested } : nested as AnyQuery, true).join(';')
    return parts ? `${name}(${parts})` : name
  })
})
