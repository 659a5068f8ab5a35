import Fastify, { type FastifyInstance } from 'fastify'

/** Returns a minimal Fastify app: it answers with the status and a constant string of the length in the path. */
export function openFloor (): FastifyInstance {
  const texts = new Map<string, string>()
  const textOf = (size: string) => {
    const text = texts.get(size) ?? `"${'x'.repeat(Math.max(0, Number(size) - 2))}"`
    texts.set(size, text)
    return text
  }
  const app = Fastify()
  app.route<{ Params: { status: string, size: string } }>({
    method: ['GET', 'POST', 'PUT', 'PATCH'],
    url: '/:status/:size',
    handler ({ params: { status, size } }, reply) {
      reply.code(Number(status)).type('application/json; charset=utf-8').send(textOf(size))
    }
  })
  return app
}
