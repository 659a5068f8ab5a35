import { Type } from '@sinclair/typebox'
import { test } from 'tap'
import type { ItemValues } from '../../lib/core/declare/collection.ts'
import dataApi, { collection, memory, SubItem, type Where } from '../../lib/index.ts'
import { cellsOf, read } from '../helpers/documents.ts'
import Fastify from '../helpers/fastify.ts'

// docs/rules.md: Conditions

test('docs/rules.md lists all conditions of scopes, each of which finds what it says', async t => {
  const found: Readonly<Record<keyof Where<ItemValues>, readonly number[]>> = {
    equals: [1, 3],
    oneOf: [1, 3, 4],
    less: [1],
    atMost: [1, 2],
    greater: [3],
    atLeast: [2, 3],
    some: [1, 2],
    all: [1],
    any: [1, 3],
    not: [2, 4],
    visible: [1, 2, 3]
  }
  const examples = cellsOf(read('docs/rules.md#scopes')).slice(1).map(([code = '']) => code.slice(1, -1))
  const named = examples.map(code => [...code.matchAll(/\b(?:where|team)\.(\w+)/g)].map(([, name = '']) => name))
  t.strictSame([...new Set(named.flat())].toSorted(), Object.keys(found).toSorted())
  const Team = Type.Object({ id: Type.Integer({ identifier: true, readable: true }) })
  const Note = Type.Object({
    id: Type.Integer({ identifier: true, readable: true }),
    state: Type.Optional(Type.String()),
    rank: Type.Optional(Type.Integer()),
    teamId: Type.Optional(Type.Integer()),
    team: SubItem('teams', { foreignKey: 'teamId' })
  })
  for (const [index, code] of examples.entries()) {
    const names = named[index] ?? []
    const name = names.includes('visible') ? 'visible' : names[0] ?? ''
    // The example as it stands in the page.
    const make = new Function('where', `return ${code}`) as (where: unknown) => never // eslint-disable-line no-new-func
    const app = Fastify()
    await app.register(dataApi, {
      collections: {
        notes: collection(Note, {
          source: memory([
            { id: 1, state: 'open', rank: 1, teamId: 1 }, { id: 2, state: 'done', rank: 2, teamId: 1 },
            { id: 3, state: 'open', rank: 3, teamId: 2 }, { id: 4 }
          ]),
          scope: (_context, where) => make(where)
        }),
        teams: collection(Team, { source: memory([{ id: 1 }, { id: 2 }, { id: 3 }]), scope: () => true })
      },
      rules: { read: true }
    })
    const shown = (await app.inject('/notes')).json<Array<{ id: number }>>().map(({ id }) => id)
    t.strictSame(shown, (found as Readonly<Record<string, unknown>>)[name], code)
    await app.close()
  }
})
