import { createCollection, createLiveQueryCollection, createTransaction, eq } from '@tanstack/db'
import { createClient } from 'fastify-data-api/client'
import { dataApiCollectionOptions, writeTransaction } from 'fastify-data-api/tanstack-db'

const client = createClient('/api')
const cards = createCollection(dataApiCollectionOptions(client.resource('cards')))
const moves = createCollection(dataApiCollectionOptions(client.resource('moves'), {
  fields: ['id', 'card', 'title', 'lane', 'at'], generated: ['at']
}))

/** Changes cards and notes the moves, as one transaction: all of it is written, or none. */
function transact (change) {
  const transaction = createTransaction({ mutationFn: writeTransaction, autoCommit: false })
  transaction.mutate(change)
  transaction.commit().catch(tell)
}

const tell = error => { document.querySelector('[role=alert]').textContent = error.message }

const note = ({ id: card, title }, lane) =>
  moves.insert({ id: crypto.randomUUID(), card, title, lane, at: new Date().toISOString() })

document.querySelector('form').addEventListener('submit', event => {
  event.preventDefault()
  tell({ message: '' })
  const card = { id: crypto.randomUUID(), title: event.target.title.value, lane: 'todo', place: Date.now() }
  transact(() => {
    cards.insert(card)
    note(card, 'todo')
  })
  event.target.reset()
})

const lanes = ['todo', 'doing', 'done']

/** Keeps a list as a live query has its rows. */
function show (query, list, elementOf) {
  const rows = createLiveQueryCollection(query)
  rows.subscribeChanges(() => { list.replaceChildren(...rows.toArray.map(elementOf)) }, { includeInitialState: true })
}

for (const [index, lane] of lanes.entries()) {
  const query = query => query.from({ card: cards }).where(({ card }) => eq(card.lane, lane))
    .orderBy(({ card }) => card.place)
  show(query, document.getElementById(lane), card => {
    const to = lanes[index + 1]
    const element = Object.assign(document.createElement('li'), { textContent: `${card.title} ` })
    // It is on its way to the API.
    element.ariaBusy = String(!card.$synced)
    const button = Object.assign(document.createElement('button'), { textContent: to ? '→' : '×' })
    button.addEventListener('click', () => transact(() => {
      if (!to) return cards.delete(card.id)
      cards.update(card.id, draft => { draft.lane = to })
      note(card, to)
    }))
    element.append(button)
    return element
  })
}

show(
  query => query.from({ move: moves }).orderBy(({ move }) => move.at, 'desc').limit(5),
  document.getElementById('moves'),
  ({ title, lane }) => Object.assign(document.createElement('li'), { textContent: `${title} → ${lane}` })
)
