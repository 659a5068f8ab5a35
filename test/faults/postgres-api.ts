import { join } from 'node:path'
import type { PostgresOptions } from '../../lib/index.ts'
import { type Api, firstLines, startApi } from './api.ts'
import { judge } from './judge.ts'
import { makeWriter, type Writer } from './load.ts'
import type { Effort, Outcome } from './outcome.ts'
import { apiName, inspectPostgres } from './postgres.ts'

/** The world on a PostgreSQL server, served by a process of its own and written to. */
export interface Served {
  readonly api: Api
  readonly writer: Writer
  /** Stops serving, and compares what was acknowledged with what stands in the database that `url` leads to. */
  judge (url: string, seen: Pick<Outcome, 'name' | 'struck' | 'heals' | 'wrong' | 'notes'>): Promise<Outcome>
}

let count = 0

interface Serving {
  readonly effort: Effort
  readonly supply: number
  readonly options: PostgresOptions
}

export async function servePostgres ({ effort, supply, options }: Serving): Promise<Served> {
  const { random, folder } = effort
  const log = join(folder, `api-${++count}.log`)
  const driver = { application_name: apiName, ...options.driver }
  const api = await startApi({ kind: 'postgres', log, options: { connectionTimeout: 1000, ...options, driver } })
  const writer = makeWriter({ port: () => api.port, random, supply })
  return {
    api,
    writer,
    async judge (url, { wrong = [], ...seen }) {
      const ended = api.hasEnded() ? ['the process ended by itself'] : []
      const { marks, drift } = await inspectPostgres(url)
      await api.stop()
      const drifted = drift === 0 ? [] : [`counters are off by ${drift}`]
      const verdict = judge(writer.writes, marks)
      return { ...seen, verdict, log: firstLines(log), wrong: [...wrong, ...ended, ...drifted] }
    }
  }
}
