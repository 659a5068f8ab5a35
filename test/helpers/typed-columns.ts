import { type TBoolean, type TNumber, type TString, type TUnion, Type } from '@sinclair/typebox'
import type { Test } from 'tap'
import dataApi, { type Declared } from '../../lib/index.ts'
import Fastify from './fastify.ts'

/** Serves things. Returns the application, and the lines that it logs. */
export async function serve (t: Test, things: Declared) {
  const errors: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => { errors.push(line) } } } })
  await app.register(dataApi, { collections: { things } })
  t.teardown(() => app.close())
  return { app, errors }
}

/** Returns the schema of things that have these columns. */
export const schemaOf = (columns: Columns) =>
  Type.Object({
    id, ...Object.fromEntries(Object.entries(columns).map(([name, [, schema]]) => [name, Type.Optional(schema)]))
  })

/** Returns a script that makes a table of things with these columns, and fills 24 rows with their values. */
export function toSql (columns: Columns, suffix = ''): string {
  const names = Object.keys(columns)
  const rows = Array.from({ length: 24 }, (_, n) => {
    const values = names.map(name => {
      const [, , ...literals] = columns[name] ?? ['', id]
      return [...literals, 'null'][n % (literals.length + 1)]
    })
    return `(${[n + 1, ...values].join(', ')})`
  })
  return `create table things (id integer primary key, ${names.map(name => `${name} ${columns[name]?.[0]}`)
    .join(', ')})${suffix};
    insert into things values ${rows.join(', ')}`
}

/** A column: its type, the field's schema, and literals of SQL. */
export type Columns = Readonly<Record<string, readonly [type: string, schema:
  | ReturnType<typeof Type.String>
  | ReturnType<typeof Type.Number>
  | ReturnType<typeof Type.Integer>
  | TUnion<[TNumber, TBoolean, TString]>
  | ReturnType<typeof Type.Any>, ...values: string[]]>>

/** Values that a client can write into a cursor by hand. */
export const forgedValues: readonly unknown[] = [
  ['x'], 'x', '', '2024-02-30', ['2024-02-30'], '99999999-01-01', ['-infinity'], 'NaN', ['NaN'], 1e300, [1e300], [''],
  '25:00:00', ['9'.repeat(400)], '9'.repeat(400), '2024-01-01T00:00:00.000Z BC', ['\\xzz'], true, null, [], {}
]

/** The flags of a field that clients read. */
export const R = { readable: true }

/** A key. */
export const id = Type.Integer({ identifier: true, readable: true })
