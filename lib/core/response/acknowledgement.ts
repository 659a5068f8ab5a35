import type { Acknowledgement } from '../../../schemas/acknowledgement.ts'
import { identifierNotFound } from '../errors/errors.ts'
import type { Collection } from '../model/model.ts'
import { noConditions, type Projection, versionOf } from '../plan/tag.ts'
import type { WritePlan, Row } from '../plan/plan.ts'
import type { Write } from '../plan/write/write.ts'
import type { Address } from '../run/address.ts'
import type { Created, Linked, WriteResult } from '../run/write.ts'
import { type Answer, empty, json, ok } from './answer.ts'
import { itemWriter, renderItem, renderScalar } from './items.ts'
import { formatPath, formatSegment, ownSegments, type PathParts, type Site } from './paths.ts'
import { tagged } from './tag.ts'

export interface AcknowledgementOptions {
  /** The body of the answer to a creation. */
  readonly createdBody: 'id' | 'status' | 'none'
  readonly dictionaryPrefix: string
}

/** The parts of the request that an acknowledgement repeats. */
export interface WriteEcho {
  readonly parts: readonly PathParts[]
  site (): Site
  /** The client's preference `return` (RFC 7240). */
  readonly returns: 'representation' | 'minimal' | undefined
}

/** Returns the answer to a write (docs/http.md: Writing). Throws identifier_not_found for a missing item. */
export function renderWrite (
  { plan, walked, scalar }: Write, result: WriteResult, address: Address | undefined, echo: WriteEcho,
  options: AcknowledgementOptions
): Answer {
  switch (result.kind) {
    case 'created': return renderCreated(plan, result.items, address, echo, options)
    case 'linked': return renderLinked(plan, result.items, address, echo, options)
    case 'updated': return renderUpdated(plan, result.row, scalar, movedTo(plan, address, echo, options), echo)
    case 'deleted': return echo.returns === 'minimal' ? minimal(204) : acknowledge(200, { status: 'ok' })
    case 'affected': return renderAffected(plan, result, echo)
    case 'missing': throw identifierNotFound(walked[result.step]?.segment ?? '', walked[result.step]?.advice)
    case 'ambiguous': throw new TypeError('an ambiguous segment is told by its candidates')
  }
}

/**
 * Returns the answer to a request that has linked or updated existing items, created items, or both: 201 if it created
 * one.
 */
function renderLinked (
  plan: WritePlan, items: readonly Linked[], address: Address | undefined, echo: WriteEcho,
  options: AcknowledgementOptions
): Answer {
  if (plan.kind !== 'link' && plan.kind !== 'each') throw new TypeError('no other plan has this result')
  const { collection, representation } = plan
  const many = plan.kind === 'each' || plan.many
  const status = items.some(({ isNew }) => isNew) ? 201 : 200
  const location = address && locationOf(collection, address, echo, options.dictionaryPrefix)
  if (echo.returns === 'minimal') return minimal(status === 201 ? 201 : 204, location)
  if (representation !== undefined) {
    return renderRepresentation(representation, { status, items, many, collection }, representedAt(location))
  }
  if (status === 201 && !many && options.createdBody === 'none') return empty(201, location ?? {})
  const withId = options.createdBody === 'id'
  const acknowledgements = items.map(item =>
    item.isNew ? acknowledgementOf(item, collection, withId) : { status: 'ok' } as const)
  return acknowledge(status, many ? acknowledgements : acknowledgements[0] ?? { status: 'ok' }, location)
}

/** `location`: see movedTo(). */
function renderUpdated (
  plan: WritePlan, row: Row | undefined, scalar: boolean, location: Answer['headers'] | undefined,
  { returns }: WriteEcho
): Answer {
  if (returns === 'minimal') return minimal(204, location)
  if (plan.kind !== 'update' || plan.representation === undefined || row === undefined) {
    return location === undefined ? updated : ok('{"status":"ok"}', location)
  }
  const { collection, representation: { show, variant } } = plan
  // That of a change of a value.
  if (scalar && returns !== 'representation') {
    return ok(`{"status":"ok","value":${renderScalar(row, show)}}`, location)
  }
  const body = scalar ? renderScalar(row, show) : renderItem(row, show)
  return tagged(ok(body, representedAt(location)), noConditions, versionOf(row, collection), variant)
}

/** Returns the header `content-location` of an item, or of its field, to which the URL does not lead any more. */
function movedTo (
  plan: WritePlan, address: Address | undefined, { parts, site }: WriteEcho, options: AcknowledgementOptions
): Answer['headers'] | undefined {
  if (address === undefined || plan.kind !== 'update') return undefined
  const { collection, scalar } = plan
  const own = ownSegments(collection, address, options.dictionaryPrefix)
  const path = [[collection.name], ...own, ...scalar ? parts.slice(-1) : []]
  return { 'content-location': formatPath(site(), path) }
}

/** Returns the answer to a write by a filter: how many items it has written, or these items. */
function renderAffected (
  plan: WritePlan, { affected, items }: Extract<WriteResult, { kind: 'affected' }>, { returns }: WriteEcho
): Answer {
  if (returns === 'minimal') return minimal(204)
  const representation = plan.kind === 'many' && plan.one.kind === 'update' ? plan.one.representation : undefined
  if (representation === undefined) return ok(JSON.stringify({ status: 'ok', affected }))
  return ok(`[${rowsOf(items).map(itemWriter(representation.show)).join(',')}]`, represented)
}

const updated: Answer = ok('{"status":"ok"}')

function renderCreated (
  plan: WritePlan, items: readonly Created[], address: Address | undefined, echo: WriteEcho,
  { createdBody, dictionaryPrefix }: AcknowledgementOptions
): Answer {
  const many = plan.kind === 'create' && plan.many
  const collection = plan.kind === 'create' ? plan.from.collection : plan.collection
  const location = address && locationOf(collection, address, echo, dictionaryPrefix)
  if (echo.returns === 'minimal') return minimal(201, location)
  if ('representation' in plan && plan.representation !== undefined) {
    const creations = { status: 201, items, many, collection } as const
    return renderRepresentation(plan.representation, creations, representedAt(location))
  }
  if (plan.kind === 'create' && createdBody === 'none') return empty(201, location ?? {})
  const withId = plan.kind === 'create' && createdBody === 'id'
  const acknowledgements = items.map(item => acknowledgementOf(item, collection, withId))
  return acknowledge(201, many ? acknowledgements : acknowledgements[0] ?? { status: 'created' }, location)
}

function acknowledgementOf ({ key: values }: Created, { key }: Collection, withId: boolean): Acknowledgement {
  if (!withId || !key.every(field => field.readable)) return { status: 'created' }
  const [value, other] = values
  const id = other === undefined ? value : formatSegment(values)
  return { status: 'created', ...id !== undefined && { id } }
}

/** Returns the header `location` of a created item. */
function locationOf (
  collection: Collection, address: Address, { parts, site }: WriteEcho, dictionaryPrefix: string
): Answer['headers'] {
  return { location: formatPath(site(), [...parts, ...ownSegments(collection, address, dictionaryPrefix)]) }
}

interface Creations {
  readonly status: 200 | 201
  readonly items: readonly Created[]
  readonly many: boolean
  readonly collection: Collection
}

function renderRepresentation (
  { show, variant }: Projection, { status, items, many, collection }: Creations, headers: Answer['headers']
): Answer {
  const rows = rowsOf(items)
  const [row] = rows
  if (many || row === undefined) return json(status, `[${rows.map(itemWriter(show)).join(',')}]`, headers)
  return tagged(json(status, renderItem(row, show), headers), noConditions, versionOf(row, collection), variant)
}

const rowsOf = (items: readonly Created[]): readonly Row[] => items.flatMap(({ row }) => row === undefined ? [] : [row])

const applied = 'return=representation'
const represented = { 'preference-applied': applied, vary: 'Accept, Prefer' }

const representedAt = (location: Answer['headers'] | undefined): Answer['headers'] =>
  location === undefined ? represented : { 'preference-applied': applied, vary: 'Accept, Prefer', ...location }

const minimal = (status: 201 | 204, headers?: Answer['headers']): Answer =>
  empty(status, { 'preference-applied': 'return=minimal', ...headers })

const acknowledge = (
  status: number, body: Acknowledgement | readonly Acknowledgement[], headers?: Answer['headers']
): Answer => json(status, JSON.stringify(body), headers)
