import type { OwnFace } from '../../core/api/own-face.ts'
import type { Data, RequestData, SystemData } from '../../core/declare/data.ts'
import { didYouMean, suggest } from '../../core/errors/suggest.ts'
import { makeCollection } from './collection.ts'

type Request = Parameters<Data['as']>[0]

/** Returns the data of an API for own code (docs/own-code.md: Own code), before it is bound to a caller. */
export function makeData (face: OwnFace): Data {
  const bound = bindings(face)
  return Object.freeze({
    ...bound,
    collection: (asked: unknown) => {
      nameOf(asked, face)
      return Object.freeze({
        as: (request: Request) => bound.as(request).collection(asked as never),
        asSystem: () => bound.asSystem().collection(asked as never)
      })
    },
    transaction: inTransaction(face, undefined, makeData)
  }) as Data
}

/** Returns the data as it is for the caller of a request; without one, for the system. */
export function dataFor (face: OwnFace, request: Request | undefined): RequestData {
  const collections = face.as(request)
  // The types of the items follow from the declaration (lib/core/declare/data.ts); here they are values by name.
  return Object.freeze({
    ...bindings(face),
    collection: (asked: unknown) => makeCollection(collections(nameOf(asked, face))),
    transaction: inTransaction(face, request, tx => dataFor(tx, request))
  }) as unknown as RequestData
}

const bindings = (face: OwnFace) => ({
  as (request: Request): RequestData {
    const isRequest = typeof request === 'object' && request !== null && 'raw' in request
    if (!isRequest) throw new TypeError('as() takes the request of a route or hook; asSystem() needs none')
    return dataFor(face, request)
  },
  asSystem: () => dataFor(face, undefined) as unknown as SystemData
})

/** Returns the name of a collection that is asked for by its name or declaration. Throws a TypeError for another. */
function nameOf (asked: unknown, { nameOf, names }: OwnFace): string {
  const found = nameOf(asked)
  if (found !== undefined) return found
  if (typeof asked === 'string') {
    throw new TypeError(`There is no collection '${asked}'.${didYouMean(suggest(asked, names))}`)
  }
  const others = 'app.dataApi is the API that was registered first, app.dataApi.registrations has the others by prefix'
  throw new TypeError(`No collection of this API has this declaration; it has ${names.join(', ')}. ${others}.`)
}

/** Returns the function `transaction` of data. `request`: that whose transaction it is; undefined for the system. */
const inTransaction = <D>(face: OwnFace, request: Request | undefined, dataIn: (tx: OwnFace) => D) =>
  async <T>(work: (tx: D) => Promise<T>, { on }: { readonly on?: unknown } = {}): Promise<T> =>
    face.transaction(tx => work(dataIn(tx)), { request, on: on === undefined ? undefined : nameOf(on, face) })
