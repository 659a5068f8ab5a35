import { Type } from '@sinclair/typebox'
import {
  ArgumentError, computed, type Context, exactly, expression, input, lookup, type Where, type WriteContext
} from '../../lib/index.ts'
import { type Mistake, systemOf, teamOf } from './desk.ts'

// Mistakes that others have made, most of them with an advisory or an issue, translated to this help desk.

type Item = Record<string, unknown>
const text = Type.String({ readable: true })
const system = ({ data }: WriteContext) => systemOf(data)
const ofConnection = new WeakMap<object, Promise<unknown[]>>()
const ticketsOf = async ({ server, headers }: Context['request']) =>
  (await systemOf(server.dataApi).list('tickets', { where: { teamId: Number(headers['x-team']) } })).map(({ id }) => id)
const errorOf = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })

export const mistakes: Readonly<Record<string, Mistake>> = {
  'a child collection has no scope': { collections: { comments: { scope: undefined }, users: { scope: undefined } } },
  'a scope is an alternative to another, not added to it': {
    collections: {
      tickets: {
        scope: ({ request }: Context, { any, equals }: Where<Item>) =>
          any(equals('teamId', teamOf(request)), equals('isOpen', true))
      }
    }
  },
  'a scope lets those pass who say no team': {
    collections: {
      tickets: {
        scope: ({ request }: Context) => request.headers['x-role'] !== 'member' || { teamId: teamOf(request) }
      }
    }
  },
  'a hash of a password is flagged readable': { flags: { users: { passwordHash: { readable: true } } } },
  'a rule denies writing, where reading was meant': {
    flags: { tickets: { secretNote: { readable: true, writable: true } } },
    collections: { tickets: { rules: { fields: { secretNote: { write: () => false } } } } }
  },
  'a computed field shows the beginning of a hidden one': {
    collections: {
      users: {
        computed: {
          hint: computed({
            type: text, from: ['passwordHash'], get: (user: Item) => String(user['passwordHash']).slice(0, 3)
          })
        }
      }
    }
  },
  'a computed field shows if a hidden one has a value': {
    collections: {
      tickets: {
        computed: {
          hasNote: computed({
            type: Type.Boolean({ readable: true }),
            from: ['secretNote'],
            get: (ticket: Item) => (ticket['secretNote'] ?? null) !== null
          })
        }
      }
    }
  },
  'an expression is made of a hidden field': {
    collections: {
      tickets: {
        computed: {
          isExpensive: expression({
            type: Type.Boolean({ readable: true, hidden: true }), memory: (ticket: Item) => Number(ticket['cost']) > 100
          })
        }
      }
    }
  },
  'a lookup finds by a hidden field': {
    slow: true,
    collections: {
      users: { identifiers: { token: lookup({ type: text, find: (passwordHash: string) => ({ passwordHash }) }) } }
    }
  },
  'a special identifier finds by a hidden field': {
    collections: {
      tickets: {
        identifiers: {
          dearest: exactly('dearest', async ({ request }) => {
            const [first] = await systemOf(request.server.dataApi).list('tickets', { sort: 'cost desc', size: 1 })
            return first === undefined ? undefined : { id: first['id'] }
          })
        }
      }
    }
  },
  'a setter tells a hidden value in its message': {
    slow: true,
    collections: {
      tickets: {
        setters: {
          title (ticket: Item, title: string) {
            if (title.length > 6) throw new ArgumentError(`A ticket of ${String(ticket['cost'])} needs a short title.`)
            ticket['title'] = title
          }
        }
      }
    }
  },
  'a setter refuses what an item of others has': {
    slow: true,
    collections: {
      tickets: {
        setters: {
          async title (ticket: Item, title: string, context: WriteContext) {
            const taken = await system(context).list('tickets', { where: { title } })
            if (taken.length > 0) throw new ArgumentError('This title is taken.')
            ticket['title'] = title
          }
        }
      }
    }
  },
  'an input compares with the old hash': {
    slow: true,
    collections: {
      users: {
        inputs: {
          password: input({
            type: Type.Optional(Type.String()),
            set (user: Item, password: string) {
              if (user['passwordHash'] === password) throw new ArgumentError('Take a new password.')
              user['passwordHash'] = password
            }
          })
        }
      }
    }
  },
  'a hook copies a hidden field into a text': {
    collections: {
      tickets: {
        hooks: {
          updating (ticket: Item) { ticket['title'] = [ticket['title'], ticket['secretNote']].join(' ') }
        }
      }
    }
  },
  'a hook counts what it may see, not what the caller may': {
    collections: {
      tickets: {
        hooks: {
          async creating (ticket: Item, context: WriteContext) {
            const all = await system(context).list('tickets')
            ticket['teamId'] = teamOf(context.request)
            ticket['title'] = `No ${all.length + 1}: ${String(ticket['title'])}`
          }
        }
      }
    }
  },
  'a hook refuses, and says why': {
    slow: true,
    collections: {
      tickets: {
        hooks: {
          deleting (ticket: Item) {
            if (ticket['secretNote'] !== undefined) throw errorOf(422, 'An agent keeps a note of it.')
          }
        }
      }
    }
  },
  'a rule names the owner of what it denies': {
    collections: {
      teams: {
        rules: {
          async delete ({ request }: Context) {
            const [first] = await systemOf(request.server.dataApi).list('users', { sort: 'id desc', size: 1 })
            throw errorOf(403, `Ask ${String(first?.['name'])} to do that.`)
          }
        }
      }
    }
  },
  'a total counts all rows': {
    slow: true,
    add: (app, desk) => {
      app.get('/count', async () => ({ total: (await desk.list('tickets', { where: { isOpen: true } })).length }))
    },
    routes: ['GET /count']
  },
  'a route groups all rows': {
    slow: true,
    add: (app, desk) => {
      app.get('/open', async () => desk.groups('tickets', { by: ['isOpen'], count: true }))
    },
    routes: ['GET /open']
  },
  'a route tells what functions make of all related items': {
    add: (app, desk) => {
      app.get('/last', async () => desk.list('teams', { fields: [{ tickets: { count: true, max: ['title'] } }] }))
    },
    routes: ['GET /last']
  },
  'a route sorts by a hidden field': {
    add: (app, desk) => {
      app.get('/ranking', async request => {
        const tickets = await desk.list('tickets', { sort: 'cost', where: { teamId: teamOf(request) } })
        return tickets.map(one => one['id'])
      })
    },
    routes: ['GET /ranking']
  },
  'a route filters by a hidden field': {
    slow: true,
    add: (app, desk) => {
      app.get<{ Params: { start: string } }>('/find/:start', async ({ params: { start } }) =>
        (await desk.list('users', { where: { teamId: 1 } }))
          .filter(one => String(one['passwordHash']).startsWith(start)).map(one => one['id']))
    },
    routes: ['GET /find/:start']
  },
  'a route reads as the system, by any key': {
    slow: true,
    add: (app, desk) => {
      app.get<{ Params: { id: string } }>('/print/:id', async ({ params: { id } }) =>
        (await desk.list('tickets')).find(one => String(one['id']) === id)?.['title'] ?? null)
    },
    routes: ['GET /print/:id']
  },
  'a login tells which addresses it knows': {
    add: (app, desk) => {
      app.post<{ Body: { email: string } }>('/login', async ({ body: { email } }, reply) => {
        const known = (await desk.list('users')).some(one => one['email'] === email)
        return reply.code(401).send({ message: known ? 'wrong password' : 'unknown address' })
      })
    },
    routes: ['POST /login {"email":":email"}']
  },
  'a header counts what nobody may see': {
    add: (app, desk) => {
      app.addHook('onSend', async (_request, reply) => {
        const rich = (await desk.list('tickets')).filter(one => Number(one['cost']) > 5)
        reply.header('x-expensive', String(rich.length))
      })
    }
  },
  'an error says if the item exists': {
    slow: true,
    add: (app, desk) => {
      app.get<{ Params: { title: string } }>('/by-title/:title', async ({ params: { title } }, reply) => {
        const ticket = (await desk.list('tickets')).find(one => one['title'] === title)
        return reply.code(ticket === undefined ? 404 : 403).send({})
      })
    },
    routes: ['GET /by-title/:title']
  },
  // Such as of Supabase, whose subscribers were told of rows that they could not read.
  'a stream passes the scope, since EventSource sends no headers': {
    slow: true,
    options: { live: true },
    collections: {
      tickets: {
        scope: ({ request }: Context) => request.headers.accept === 'text/event-stream' || { teamId: teamOf(request) }
      }
    }
  },
  'what a stream may tell is decided when it begins': {
    slow: true,
    options: { live: true },
    collections: {
      tickets: {
        async scope ({ request }: Context, { oneOf }: Where<Item>) {
          const known = ofConnection.get(request.raw) ?? ticketsOf(request)
          ofConnection.set(request.raw, known)
          return oneOf('id', await known)
        }
      }
    }
  }
}
