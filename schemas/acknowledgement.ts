import { type Static, Type } from '@sinclair/typebox'

/** The body of the answer to a write. */
export const acknowledgement = Type.Union([
  Type.Object({ status: Type.Literal('ok') }, { description: 'updated or deleted' }),
  Type.Object({
    status: Type.Literal('created'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description: "the new item's key" }))
  })
])
export type Acknowledgement = Static<typeof acknowledgement>
