import { contentTooLarge } from '../../errors/errors.ts'
import type { Collection } from '../../model/model.ts'
import { type BodyLimits, isMergePatch } from '../../request/body.ts'
import type { MergeLimits } from './amendment.ts'
import type { Allowance } from './body.ts'
import type { Projection } from '../tag.ts'
import { planProjection, type ReadOptions } from '../read/read.ts'
import type { WriteRequest } from './write.ts'

export interface WriteLimits extends BodyLimits, Pick<Allowance, 'references'> {
  /** The most items that a write by a filter may have. */
  readonly affected: number
  /** The options of the projection that shows a written item. */
  readonly reads: ReadOptions
}

/** Returns the limits of what a merge patch makes; undefined for any other body. */
export const mergeOf = ({ body }: Pick<WriteRequest, 'body'>, limits: WriteLimits): MergeLimits | undefined =>
  isMergePatch(body) ? limits : undefined

export const allowanceOf = ({ items, references }: WriteLimits): Allowance => ({ items, references })

/** Throws content_too_large. In a batch, the limit is what other operations have left of it. */
export function checkLength ({ length }: readonly unknown[], { items, references }: WriteLimits): void {
  if (length > items && references === undefined) throw contentTooLarge(`The body holds more than ${items} items.`)
}

export function projectionOf (
  collection: Collection, { represent, query }: WriteRequest, { reads }: WriteLimits
): Projection | undefined {
  return represent ? planProjection(query, collection, reads) : undefined
}
