import { ArgumentError, DataApiError } from '../errors/errors.ts'
import { atPointer } from '../errors/place.ts'
import type { Collection } from '../model/model.ts'
import { tokenOf } from '../errors/place.ts'
import type { UnitOfWork } from './context.ts'

/** A call of the application. `pointer`: the element of the body that causes the call. */
export interface CallSite {
  readonly collection: Collection
  readonly pointer: string
  readonly work: UnitOfWork
}

/**
 * Calls a hook or setter of the application, and announces an asynchronous call to the session. A DataApiError that it
 * throws gets the pointer of the element.
 */
export async function calling (
  name: string, { collection, pointer, work }: CallSite, call: () => void | Promise<void>
): Promise<void> {
  try {
    const called = call()
    if (called === undefined) return
    work.session.announce(`the ${name} of collection '${collection.property}'`)
    await called
    work.session.announce(undefined)
  } catch (error) {
    throw error instanceof DataApiError ? atPointer(error, pointer + fieldPointer(error, collection, work)) : error
  }
}

/** Returns the pointer to the field that an ArgumentError names, by its name on the wire. */
function fieldPointer (error: DataApiError, { properties }: Collection, { scalar }: UnitOfWork): string {
  if (scalar || !(error instanceof ArgumentError) || error.field === undefined) return ''
  return tokenOf(properties.get(error.field)?.name ?? error.field)
}
