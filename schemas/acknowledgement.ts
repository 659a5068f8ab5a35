import { type Static, Type } from '@sinclair/typebox'

/** What a client is told of a write that was done. */
export const acknowledgement = Type.Union([
  Type.Object({ status: Type.Literal('ok') }, { description: 'updated or deleted' }),
  Type.Object({
    status: Type.Literal('created'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description: "the new item's key" }))
  })
])
export type Acknowledgement = Static<typeof acknowledgement>
