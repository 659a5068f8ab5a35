import { constraint } from '../errors/errors.ts'
import type { KeyValues } from '../model/identifiers.ts'
import type { AuthorisedRelation } from '../rules/authorise.ts'
import type { UnitOfWork } from './context.ts'
import { isLinked } from './locate.ts'
import { expectChanged } from './violations.ts'

/** A link of a many-to-many relation. `own` and `other` are keys, `pointer` is the element in the request's body. */
interface NewLink {
  readonly field: AuthorisedRelation
  readonly own: KeyValues
  readonly other: KeyValues
  readonly pointer: string
}

/** Links two items. Throws constraint for a link that the join table does not keep. */
export async function linkItems ({ field, own, other, pointer }: NewLink, work: UnitOfWork): Promise<void> {
  const linked = await work.session.change({ kind: 'link', field, own, other })
  if (linked.kind === 'refused') expectChanged(linked, field.target, pointer)
  // Either they were linked already, or a trigger or rule of the join table has dropped the link.
  if (linked.kind === 'unchanged' && !await isLinked(field, own, other, work)) throw constraint([], pointer)
}
