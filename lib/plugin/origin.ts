import type { FastifyRequest } from 'fastify'
import { memoizeRecent } from '../scheduling/memoize.ts'

/**
 * The API's origin as Fastify sees it, with its `trustProxy`. Empty if the `Host` header is not a valid host.
 */
export const readOrigin = ({ protocol, host }: FastifyRequest): string => parseOrigin(`${protocol}://${host}`)

const parseOrigin = memoizeRecent(text => {
  if (!URL.canParse(text)) return ''
  const { href, origin } = new URL(text)
  return href === `${origin}/` ? origin : ''
}, { most: 100 })
