import { collections, ddl, tables } from '../fixtures/shop.ts'
import { everyWrite } from './batch-of-one.ts'
import type { Tools } from './every-source.ts'

export const world = { collections, tables, ddl }

export const writes = (
  name: string, run: (tools: Tools) => Promise<void>, options: Parameters<typeof everyWrite>[2] = {}
) => { everyWrite(name, run, options, world) }

export const ok = { status: 'ok' }
export const validation = (...details: ReadonlyArray<readonly [pointer: string, message: string]>) => ({
  error: 'validation',
  message: `The body is not valid; 'details' lists ${details.length === 1
    ? '1 problem'
    : `${details.length} problems`}.`,
  details: details.map(([pointer, message]) => ({ pointer, message }))
})
export const missing = (identifier: string) => ({
  status: 'not_found',
  error: 'identifier_not_found',
  message: `An item was not found with the identifier '${identifier}'.`
})

export const upsert = { requestStrategies: { upsert: true } }

export const deletes = { requestStrategies: { delete: true } }
