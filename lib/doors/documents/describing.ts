import type { Face, Sight } from '../../core/api/face.ts'
import type { Components } from './components.ts'
import type { Profile } from './profiles.ts'

/** All that the parts of a document depend on. */
export interface Describing {
  readonly face: Face
  /** What the reader of the document may see and do. */
  readonly sight: Sight
  readonly profile: Profile
  readonly components: Components
  /** Returns an operation's identifier that the document does not have yet. */
  operationId (name: string): string
}
