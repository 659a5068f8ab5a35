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
    if (name === 'where') return formatWhere(value, inside).map(filter => `.where=${filter}`)
    const text = name === 'fields' ? walkFields(value as AnyFields, texts) : value
    return (inside && name === 'fields' ? '' : `.${name === 'limit' ? 'size' : name}=`) + (text as string)
  })

/** A selection, as the functions of this room take it. */
export type AnyFields = ReadonlyArray<string | Readonly<Record<string, unknown>>>

/** Makes the fields of a selection: the client makes their text, own code those of a parsed query. */
export interface FieldMaker<F> {
  /** A field by its name. `query`: of a relation, what asks for the function that the name ends with. */
  named (name: string, query?: unknown): F
  /** A relation with its query. */
  nested (name: string, query: unknown): F
}

/** Returns the fields of a selection: names, and objects of relations with a selection, a query or functions. */
export const walkFields = <F>(fields: AnyFields, { named, nested }: FieldMaker<F>): readonly F[] =>
  fields.flatMap(field => {
    if (typeof field === 'string') return named(field)
    return Object.entries(field).flatMap(([name, query]) => {
      const called = callsIn(Object(query) as AnyQuery)
      if (called[0]) return called.map(call => named(`${name}.${call}`, query))
      return nested(name, Array.isArray(query) ? { fields: query } : query)
    })
  })

const texts: FieldMaker<string> = {
  named: name => name,
  nested (name, query) {
    const parts = parametersOf(query as AnyQuery, true).join(';')
    return parts ? `${name}(${parts})` : name
  }
}
