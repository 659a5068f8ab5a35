import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import dataApi, {
  collection, computed, type Context, lookup, memory, SubCollection, SubItem, type WriteContext
} from '../../lib/index.ts'
import type { ProvedCaller } from '../../lib/tools/testing/prove/index.ts'
import { everybody } from '../helpers/everybody.ts'

// An application with teams whose notes only they may see, and the mistakes that its author could make.

const shown = { readable: true, writable: true } as const
const id = Type.Integer({ identifier: true, readable: true })

const Team = Type.Object({
  id,
  name: Type.String({ identifier: true, readable: true }),
  notes: SubCollection('notes', { foreignKey: 'teamId', readable: true })
})
const Note = Type.Object({
  id,
  text: Type.String({ ...shown, minLength: 1 }),
  salary: Type.Integer({ default: 0 }),
  teamId: Type.Integer(),
  team: SubItem('teams', { foreignKey: 'teamId', readable: true })
})

export type Mistake = 'forgotten scope' | 'computed' | 'lookup' | 'hook'

const ofTeam = ({ request }: Context) => ({ teamId: Number(request.headers['x-team'] ?? 0) })

/** Builds the application, with one of the mistakes. */
export async function buildNotes (mistake?: Mistake): Promise<FastifyInstance> {
  const app = Fastify()
  const joinTeam = async (note: { teamId?: number, text?: string }, { request, data }: WriteContext) => {
    note.teamId = Number(request?.headers['x-team'])
    if (mistake !== 'hook') return
    const { items } = await data.asSystem().collection('notes').list({ where: { text: note.text ?? '' } })
    if (items.length > 0) note.text = `${note.text ?? ''} (again)`
  }
  const notes = collection(Note, {
    source: memory([]),
    ...mistake !== 'forgotten scope' && { scope: ofTeam },
    ...mistake === 'computed' && {
      computed: {
        rank: computed({
          type: Type.Boolean({ readable: true }), from: ['salary'], get: ({ salary }) => salary > 50
        })
      }
    },
    ...mistake === 'lookup' && {
      identifiers: { pay: lookup({ type: Type.Integer(), find: (salary: number) => ({ salary }) }) }
    },
    hooks: { creating: joinTeam },
    requestStrategies: { delete: true, bulk: ['PATCH', 'DELETE'] }
  })
  const teams = collection(Team, {
    source: memory([]), scope: ({ request }) => ({ id: Number(request.headers['x-team'] ?? 0) })
  })
  await app.register(dataApi, { rules: everybody, collections: { teams, notes }, explorer: true })
  return app
}

/** A member of the first team, and what it may see. */
export const member: ProvedCaller = { headers: { 'x-team': '1' }, sees: { notes: note => note['teamId'] === 1 } }
