import express from 'express'
import { createServer } from 'node:http'

// Express with the prepared statements of the route by hand, on the same driver.

export function open ({ prepared }) {
  const app = express()
  app.use(express.json())
  const send = (response, found) => {
    if (found === undefined) response.status(404).json({ error: 'not found' })
    else response.json(found)
  }
  app.get('/albums/:id', ({ params }, response) => { send(response, prepared.album(Number(params.id))) })
  app.get('/albums/:id/title', ({ params }, response) => { send(response, prepared.albumTitle(Number(params.id))) })
  app.get('/albums', ({ query }, response) => { send(response, prepared.albums(query.genre, Number(query.limit))) })
  app.get('/trees', ({ query }, response) => { send(response, prepared.trees(query.country, Number(query.limit))) })
  app.get('/tracks/:id', ({ params }, response) => { send(response, prepared.track(Number(params.id))) })
  app.post('/tracks', ({ body }, response) => {
    response.status(201).json({ status: 'created', id: prepared.createTrack(body) })
  })
  app.patch('/tracks/:id', ({ params, body }, response) => {
    send(response, prepared.changeTrack(Number(params.id), body) ? { status: 'ok' } : undefined)
  })
  return createServer(app)
}
