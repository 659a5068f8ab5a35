import { Type } from '@sinclair/typebox'
import dataApi, { collection, DeclarationError, memory } from '../../lib/index.ts'
import { everybody } from './everybody.ts'
import { fastify } from './fastify.ts'

/** Registers a collection of things. Returns the message of its mistake; without one, the empty string. */
export async function messageOf (things: unknown, more: Record<string, unknown> = {}): Promise<string> {
  const app = fastify()
  try {
    await app.register(dataApi, {
      rules: everybody, collections: { things, ...more } as Parameters<typeof dataApi>[1]['collections']
    })
    await app.ready()
    return ''
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error
    return error.message
  }
}

/** Declares a collection, with JavaScript's mistakes: TypeScript does not compile them. */
export const declare = collection as unknown as (schema: unknown, behaviour?: unknown) => unknown

/** Declares things with members of a behaviour. */
export const behaving = (behaviour: object) => declare(Thing, { source, ...behaviour })

/** Declares things with a field more, which nobody creates. */
export const field = (schema: unknown) =>
  declare(Type.Object({ id, extra: schema as typeof id }), { source, requestStrategies: { create: false } })

/** Declares things with further fields and members of a behaviour. */
export const filled = (more: Record<string, unknown>, behaviour: object = {}) => declare(Type.Object({
  id, name: Type.String({ readable: true, writable: true }), ...more as { rank: typeof id }
}), { source, ...behaviour })

/** A source without rows. */
export const source = memory([])

/** The key of things. */
export const id = Type.Integer({ identifier: true, readable: true })

/** The schema of things. */
export const Thing = Type.Object({ id, name: Type.String({ readable: true, writable: true }) })

/** A required field, which nothing fills. */
export const rank = { rank: Type.Integer({ readable: true }) }

/** A key of text. */
export const code = { code: Type.String({ identifier: true, readable: true }) }
