import { fastify as start, type FastifyServerOptions } from 'fastify'

/**
 * Returns a Fastify instance without its limit of 10 seconds for the start of a plugin: at the first start of a plugin
 * the code that a test needs is compiled, which takes longer on a busy machine.
 */
export const fastify = ((options?: FastifyServerOptions) => start({ pluginTimeout: 0, ...options })) as typeof start

export default fastify
