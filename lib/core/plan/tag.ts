import { AsyncResource } from 'node:async_hooks'
import crypto from 'node:crypto'
import { batching } from '../scheduling/batching.ts'
import { preconditionFailed, preconditionRequired } from '../errors/errors.ts'
import type { Collection } from '../model/model.ts'
import { type Conditions, noConditions, type Tags } from '../request/conditions.ts'

import type { Row, Selection } from './plan.ts'

export { type Conditions, noConditions, type Tags }

/** The members of an item: those in the answer (`show`), and what a source must read for the answer and its tag. */
export interface Projection {
  readonly show: Selection
  /** The members to read: those of `show`, then the missing fields of the item's version. */
  readonly select: Selection
  /** Part of the tag if the tag can be made without the text of the answer (variantOf), else undefined. */
  readonly variant: string | undefined
  /** The indexes in `select` of the fields of the item's version. */
  readonly versionAt: readonly number[]
}

/**
 * Returns an item's version: a digest that changes if any readable stored value of the item changes, among them the
 * field flagged `version`, which every write changes. The tags of all representations of an item begin with it,
 * so that each of them guards against lost updates (docs/http.md: Conditional requests). The row must hold the
 * collection's `versionFields`.
 */
export function versionOf (row: Row, { versionFields }: Collection): string {
  return digest(JSON.stringify(versionFields.map(({ property }) => row[property] ?? null)))
}

/** Returns the same version as versionOf, from the JSON texts of the members that the projection selects. */
export const versionOfTexts = (texts: readonly string[], { versionAt }: Projection): string =>
  digest(`[${versionAt.map(index => texts[index]).join(',')}]`)

/**
 * Returns a digest of `of`, which names a representation, if the version changes whenever the representation does: its
 * tag can then be made without its text. Returns undefined if the representation may change while the version does not.
 */
export function variantOf (show: Selection, of: unknown, { versionFields }: Collection): string | undefined {
  const isCovered = show.every(({ field }) => versionFields.some(one => one === field))
  return isCovered ? digest(JSON.stringify(of)) : undefined
}

/**
 * Returns the opaque part of a tag: `<version>.<variant>` for an item, with the digest of the content if `variant` is
 * undefined; without a version, the digest of the content alone. A digest holds no dot, so the two never coincide.
 */
export const tagOf = (content: string, version?: string, variant?: string): string =>
  version === undefined ? digest(content) : `${version}.${variant ?? digest(content)}`

const digest = (text: string) => shortened(crypto.hash('sha1', text, 'base64url'))

// 16 characters are twelve bytes: enough that two versions of an item never share a digest by chance.
const shortened = (text: string) => text.slice(0, 16)

/** Returns tagOf() of a long text. Reads it in parts of a millisecond; other requests are answered between them. */
export async function tagOfLong (text: string): Promise<string> {
  const resource = new AsyncResource('DataApiTag')
  const made = crypto.createHash('sha1')
  for (let start = 0; start < text.length;) {
    const end = endOfPart(text, start)
    const part = () => { made.update(text.slice(start, end)) }
    await batching.step(part, resource)
    start = end
  }
  return shortened(made.digest('base64url'))
}

/** Returns the end of the next part, which does not lie between two surrogates: alone they have other bytes. */
function endOfPart (text: string, start: number): number {
  const end = start + partLength
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}

/** In characters. */
export const partLength = 2 ** 19

/** Returns true if a representation has one of these tags: marks of weak ones are not read (conditions.ts). */
export const isKnown = (tag: string, known: Tags | undefined): boolean =>
  known === 'any' || (known?.includes(tag) ?? false)

/**
 * Checks the preconditions of a write. `version` is undefined if the item does not exist. Throws precondition_failed if
 * one does not hold, and precondition_required if the collection requires one and the request has none.
 */
export function checkConditions (conditions: Conditions, version: string | undefined, required: boolean): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (required) expectOne(conditions)
  if (ifMatch !== undefined && !matches(ifMatch, version)) {
    throw preconditionFailed(version === undefined
      ? "The item does not exist, so it cannot match 'If-Match'."
      : "The item no longer matches 'If-Match'. Read it again before you change it.")
  }
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, version)) {
    throw preconditionFailed("The item exists and matches 'If-None-Match'.")
  }
}

/**
 * Checks the preconditions of a write of a whole list, which always exists. Its tags are those of pages, which depend
 * on the query and on embedded items, so that no tag is compared: `If-Match` with a tag never holds.
 */
export function checkListConditions (conditions: Conditions, required: boolean): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (required) expectOne(conditions)
  if (ifMatch !== undefined && ifMatch !== 'any') {
    throw preconditionFailed("The tag of a page cannot guard a write of its whole list. Send 'If-Match: *', or none.")
  }
  if (ifNoneMatch === 'any') throw preconditionFailed("The list exists, so 'If-None-Match' does not hold.")
}

function expectOne ({ ifMatch, ifNoneMatch }: Conditions): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) throw preconditionRequired()
}

/** Compares the version parts of the tags. */
function matches (tags: Tags, version: string | undefined): boolean {
  if (version === undefined) return false
  return tags === 'any' || tags.some(tag => tag.split('.')[0] === version && tag.includes('.'))
}
