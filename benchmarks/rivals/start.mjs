import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import express from 'express'
import { createServer } from 'node:http'

// Express with drizzle, as many tables as routes: what a process takes to start, beside the plugin.

/** Returns a server of tables that it makes. */
export function open (names) {
  const client = new Database(':memory:')
  const db = drizzle(client)
  const app = express()
  app.use(express.json())
  for (const name of names) {
    client.exec(`create table ${name} (id integer primary key, name text, founded integer, changed text)`)
    const table = sqliteTable(name, { id: integer().primaryKey(), name: text(), founded: integer(), changed: text() })
    app.get(`/${name}`, (_request, response) => { response.json(db.select().from(table).limit(20).all()) })
    app.get(`/${name}/:id`, ({ params }, response) => {
      response.json(db.select().from(table).where(eq(table.id, Number(params.id))).get())
    })
    app.post(`/${name}`, ({ body }, response) => {
      response.status(201).json(db.insert(table).values(body).returning().get())
    })
  }
  return createServer(app)
}
