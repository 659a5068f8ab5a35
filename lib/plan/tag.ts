import { hash } from 'node:crypto'
import { preconditionFailed, preconditionRequired } from '../errors.ts'
import type { Collection } from '../model/model.ts'
import type { Conditions, Tags } from '../request/conditions.ts'

import type { Selection, Projection, Row } from './plan.ts'

export type { Tags }

/**
 * An item's version: the same as long as nothing of it changes that may be read. It begins the tag of every representation of the item, whole or in
 * part, so that any of them guards against lost updates (docs/http.md: Conditional requests). The row must hold the collection's `versionFields`.
 */
export function versionOf (row: Row, { versionFields }: Collection): string {
  return digest(JSON.stringify(versionFields.map(({ property }) => row[property] ?? null)))
}

/** The same of the JSON texts of all that was read of it. */
export const versionOfTexts = (texts: readonly string[], { versionAt }: Projection): string => digest(`[${versionAt.map(index => texts[index]).join(',')}]`)

/**
 * Names a representation, by what it is of, where the item's version stands for all that it shows: its tag then needs no look at its text. Undefined
 * where what is shown may change and the version not.
 */
export function variantOf (show: Selection, of: unknown, { version, versionFields }: Collection): string | undefined {
  const isSaid = version === undefined && show.every(({ field }) => versionFields.some(one => one === field))
  return isSaid ? digest(JSON.stringify(of)) : undefined
}

/** The opaque part of a tag: an item's version and what is shown, or the latter alone. Without a version it holds no dot, so neither is ever the other. */
export const tagOf = (content: string, version?: string, variant?: string): string =>
  version === undefined ? digest(content) : `${version}.${variant ?? digest(content)}`

// Twelve bytes: no two versions of an item will ever share them by chance.
const digest = (text: string) => hash('sha1', text, 'base64url').slice(0, 16)

/** Whether a representation with this tag is one that the client has already: weakly compared, as RFC 9110 asks for reads. */
export const isKnown = (tag: string, known: Tags | undefined): boolean => known === 'any' || (known?.some(one => one.opaque === tag) ?? false)

/**
 * Throws precondition_failed where the item is not as the client takes it to be, and precondition_required where the collection asks for a precondition
 * and there is none. `version` is undefined where there is no item.
 */
export function checkConditions ({ ifMatch, ifNoneMatch }: Conditions, version: string | undefined, required: boolean): void {
  if (required && ifMatch === undefined && ifNoneMatch === undefined) throw preconditionRequired()
  if (ifMatch !== undefined && !matches(ifMatch, version, false)) {
    throw preconditionFailed(version === undefined ? "The item does not exist, so it cannot match 'If-Match'." : "The item no longer matches 'If-Match'. Read it again before you change it.")
  }
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, version, true)) throw preconditionFailed("The item exists and matches 'If-None-Match'.")
}

/** Strongly compared, a weak tag is none. */
function matches (tags: Tags, version: string | undefined, weakly: boolean): boolean {
  if (version === undefined) return false
  return tags === 'any' || tags.some(({ weak, opaque }) => (weakly || !weak) && opaque.split('.')[0] === version && opaque.includes('.'))
}
