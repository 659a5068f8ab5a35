import { createRequire } from 'node:module'
import type * as Kysely from 'kysely'

type KyselyModule = typeof Kysely

const require = createRequire(import.meta.url)
let loaded: KyselyModule | undefined

/**
 * Returns Kysely, which is loaded at the first call: its 279 modules take longer to load than Fastify does, and a
 * process that serves memory() needs none of them. Its CommonJS build loads in two thirds of the time.
 */
export const loadKysely = (): KyselyModule => {
  // The types describe the module of this name.
  loaded ??= require('kysely') as KyselyModule
  return loaded
}

type Sql = Kysely.RawBuilder<unknown>

/** Kysely's template tag `sql`, which loads Kysely at its first use. It must not be used while a module is loaded. */
export const sql = Object.assign(
  (texts: TemplateStringsArray, ...values: readonly unknown[]): Sql => loadKysely().sql(texts, ...values),
  {
    id: (...names: readonly string[]): Sql => loadKysely().sql.id(...names),
    /** An identifier whose name is asked for when the text of the statement is made. */
    late (name: () => string): Kysely.OperationNodeSource {
      const node: Kysely.IdentifierNode = { kind: 'IdentifierNode', get name () { return name() } }
      return { toOperationNode: () => node }
    },
    join: (values: readonly unknown[], separator?: Sql): Sql => loadKysely().sql.join(values, separator),
    lit: (value: unknown): Sql => loadKysely().sql.lit(value),
    raw: (text: string): Sql => loadKysely().sql.raw(text),
    val: (value: unknown): Sql => loadKysely().sql.val(value)
  }
)
