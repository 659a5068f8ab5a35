import type { InjectOptions } from 'fastify'
import dataApi, { type Declared } from '../../lib/index.ts'
import Fastify from './fastify.ts'

/** Serves collections. The writes that `send` makes ask for no representation of their items. */
export async function serveMinimally (collections: Record<string, Declared>) {
  const app = Fastify()
  await app.register(dataApi, { collections })
  const send = async (method: InjectOptions['method'], url: string, payload?: unknown) => {
    const headers = { 'content-type': 'application/json', prefer: 'return=minimal' }
    const given = payload === undefined ? {} : { payload: JSON.stringify(payload), headers }
    const response = await app.inject({ method: method as 'GET', url, ...given })
    return [response.statusCode, response.body === '' ? undefined : response.json<unknown>()] as const
  }
  return { app, send }
}
