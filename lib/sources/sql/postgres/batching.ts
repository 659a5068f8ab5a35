import type { Connection, Result, Statement } from './connection.ts'
import type { Server } from './database.ts'

interface PendingRead extends Statement {
  resolve (result: Result): void
  reject (error: unknown): void
}

/**
 * Asks together, on one connection, what is asked before the event loop goes on. Meant for statements that cost the server less than their way there and back:
 * it saves both sides the packets and wake-ups. What another one's error took along is asked again alone.
 */
export function batchReads ({ use }: Pick<Server, 'use'>): Connection['prepared'] {
  let waiting: PendingRead[] = []
  const askAlone = ({ text, values, resolve, reject }: PendingRead) => { use(connection => connection.prepared(text, values)).then(resolve, reject) }
  const askTogether = async (asked: readonly PendingRead[]) => {
    const results = await use(async ({ together }) => together?.(asked) ?? [])
    for (const [index, one] of asked.entries()) {
      const result = results[index]
      if (result === undefined) askAlone(one)
      else one.resolve(result)
    }
  }
  const askAll = () => {
    const asked = waiting
    waiting = []
    if (asked.length === 1) asked.forEach(askAlone)
    else askTogether(asked).catch((error: unknown) => { for (const { reject } of asked) reject(error) })
  }
  return (text, values) => new Promise((resolve, reject) => {
    if (waiting.push({ text, values, resolve, reject }) === 1) process.nextTick(askAll)
  })
}
