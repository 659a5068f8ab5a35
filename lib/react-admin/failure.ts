import { ApiError } from '../client/index.ts'

/**
 * Returns the error as react-admin takes it: with its facts as `body`, whose `errors` are the messages by field, which
 * forms show beside their inputs. Other errors stay what they are.
 */
export function asHttpError (error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { details, facts: { fields = [], pointer }, message } = error
  const places = pointer === undefined ? fields : [pathOf(pointer)]
  const told = details.length > 0
    ? details.map(detail => [pathOf(detail.pointer), detail.message])
    : places.map(place => [place, message])
  // The first message of a field is the most precise one.
  const errors = Object.fromEntries(told.reverse()) as Readonly<Record<string, string>>
  return Object.assign(error, { body: { ...error.facts, ...Object.keys(errors).length > 0 && { errors } } })
}

/** Returns the path of a JSON pointer as forms write it: `/moons/0/name` is `moons.0.name`. */
const pathOf = (pointer: string): string =>
  pointer.split('/').slice(1).map(part => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
