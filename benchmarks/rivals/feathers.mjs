import { feathers } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import knex from 'knex'
import { createServer } from 'node:http'

// Feathers with its services of knex, on better-sqlite3, without hooks.

export function open ({ file, pragmas }) {
  const connection = { filename: file }
  const afterCreate = (client, done) => { done(null, client.exec(pragmas)) }
  const db = knex({ client: 'better-sqlite3', connection, useNullAsDefault: true, pool: { afterCreate } })
  const app = koa(feathers())
  app.use(errorHandler())
  app.use(bodyParser())
  app.configure(rest())
  for (const name of ['albums', 'tracks']) app.use(name, new KnexService({ Model: db, name }))
  return createServer(app.callback())
}
