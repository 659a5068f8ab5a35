import type { Acknowledgement } from '../../schemas/acknowledgement.ts'
import { identifierNotFound } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import { versionOf } from '../plan/tag.ts'
import type { Projection, WritePlan, Row } from '../plan/plan.ts'
import type { Write } from '../plan/write.ts'

import type { Created, WriteResult } from '../run/write.ts'
import { type Answer, empty, json, ok } from './answer.ts'
import { renderItem, renderItems, renderScalar } from './items.ts'
import { formatPath, ownSegments, type Site } from './paths.ts'
import { tagged } from './tag.ts'

export interface AcknowledgementOptions {
  /** What is told of an item that was created. */
  readonly createdBody: 'id' | 'status' | 'none'
  readonly dictionaryPrefix: string
}

/** What an acknowledgement takes over from the request. */
export interface WriteEcho {
  readonly segments: readonly string[]
  site (): Site
  /** What the client prefers to be told. */
  readonly returns: 'representation' | 'minimal' | undefined
}

/** The answer to a write (docs/http.md: Writing). Throws identifier_not_found where there was nothing to write to. */
export function renderWrite ({ plan, walked, scalar }: Write, result: WriteResult, told: WriteEcho, options: AcknowledgementOptions): Answer {
  switch (result.kind) {
    case 'created': return renderCreated(plan, result.items, told, options)
    case 'updated': return renderUpdated(plan, result.row, scalar, told)
    case 'deleted': return told.returns === 'minimal' ? minimal(204) : acknowledge(200, { status: 'ok' })
    case 'missing': throw identifierNotFound(walked[result.step]?.segment ?? '')
    case 'ambiguous': throw new TypeError('an ambiguous segment is told by its candidates')
  }
}

function renderUpdated (plan: WritePlan, row: Row | undefined, scalar: boolean, { returns }: WriteEcho): Answer {
  if (returns === 'minimal') return minimal(204)
  if (plan.kind !== 'update' || plan.shows === undefined || row === undefined) return acknowledge(200, { status: 'ok' })
  const body = scalar ? renderScalar(row, plan.shows.show) : renderItem(row, plan.shows.show)
  return tagged(ok(body, represented), undefined, versionOf(row, plan.collection), plan.shows.variant)
}

function renderCreated (plan: WritePlan, items: readonly Created[], { segments, site, returns }: WriteEcho, { createdBody, dictionaryPrefix }: AcknowledgementOptions): Answer {
  const many = plan.kind === 'create' && plan.many
  const collection = plan.kind === 'create' ? plan.from.collection : plan.collection
  const [first] = items
  // An upsert is at the URL that it was sent to, and many items are in no one place.
  const own = plan.kind === 'create' && !many && first !== undefined ? ownSegments(collection, first.key, dictionaryPrefix) : undefined
  const location = own && { location: formatPath(site(), [...segments, ...own]) }
  if (returns === 'minimal') return minimal(201, location)
  if (plan.kind !== 'delete' && plan.shows !== undefined) return renderRepresentation(plan.shows, items, many, collection, location)
  if (plan.kind === 'create' && createdBody === 'none') return empty(201, location ?? {})
  const acknowledgements = items.map(one => acknowledgementOf(one, collection, plan.kind === 'create' && createdBody === 'id'))
  return acknowledge(201, many ? acknowledgements : acknowledgements[0] ?? { status: 'created' }, location)
}

function acknowledgementOf ({ key: id }: Created, { key }: Collection, withId: boolean): Acknowledgement {
  const isTold = withId && key.readable && (typeof id === 'string' || typeof id === 'number' || typeof id === 'boolean')
  return { status: 'created', ...isTold && { id } }
}

function renderRepresentation ({ show, variant }: Projection, items: readonly Created[], many: boolean, collection: Collection, location: Answer['headers'] | undefined): Answer {
  const rows = items.flatMap(({ row }) => row === undefined ? [] : [row])
  const [row] = rows
  if (many || row === undefined) return json(201, renderItems(rows, show), { ...represented, ...location })
  return tagged(json(201, renderItem(row, show), { ...represented, ...location }), undefined, versionOf(row, collection), variant)
}

const represented = { 'preference-applied': 'return=representation', vary: 'Accept, Prefer' }

const minimal = (status: 201 | 204, headers?: Answer['headers']): Answer => empty(status, { 'preference-applied': 'return=minimal', ...headers })

const acknowledge = (status: number, body: Acknowledgement | readonly Acknowledgement[], headers?: Answer['headers']): Answer => json(status, JSON.stringify(body), headers)
