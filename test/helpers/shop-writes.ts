import { collections, ddl, tables } from '../fixtures/shop.ts'
import { everyWrite } from './batch-of-one.ts'
import type { Tools } from './every-source.ts'

export const world = { collections, tables, ddl }

export const writes = (
  name: string, run: (tools: Tools) => Promise<void>, options: Parameters<typeof everyWrite>[2] = {}
) => { everyWrite(name, run, options, world) }

export const upsert = { requestStrategies: { upsert: true } }

export const deletes = { requestStrategies: { delete: true } }
