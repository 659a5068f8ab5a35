import type { Connection, StatementResult, Statement } from './wire/connection.ts'
import type { PoolServer } from './database.ts'

interface PendingRead extends Statement {
  resolve (result: StatementResult): void
  reject (error: unknown): void
}

/**
 * Returns a `prepared` that collects the reads of one turn of the event loop, and sends those of one session as one
 * batch, on one connection. It is meant for statements that cost the server less than the round trip: a batch saves
 * both sides packets and wake-ups. A read that gets no result, because another read's error ended the batch, is sent
 * again alone.
 */
export function batchReads ({ use }: Pick<PoolServer, 'use'>): Connection['prepared'] {
  let pending: PendingRead[] = []

  const sendAlone = (read: PendingRead) => {
    use(connection => connection.prepared(read)).then(read.resolve, read.reject)
  }

  const sendBatch = async (reads: readonly PendingRead[]) => {
    const results = await use(async connection => connection.batch?.(reads) ?? [])
    for (const [index, read] of reads.entries()) {
      const result = results[index]
      if (result === undefined) sendAlone(read)
      else read.resolve(result)
    }
  }

  const sendPending = () => {
    const reads = pending
    pending = []
    for (const group of bySession(reads)) {
      if (group.length === 1) group.forEach(sendAlone)
      else sendBatch(group).catch((error: unknown) => { for (const { reject } of group) reject(error) })
    }
  }

  return statement => new Promise((resolve, reject) => {
    if (pending.push({ ...statement, resolve, reject }) === 1) process.nextTick(sendPending)
  })
}

function bySession (reads: readonly PendingRead[]): Iterable<readonly PendingRead[]> {
  const groups = new Map<string | undefined, PendingRead[]>()
  for (const read of reads) {
    const key = read.session?.key
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [read])
    else group.push(read)
  }
  return groups.values()
}
