import type { FastifyInstance } from 'fastify'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A request whose body is sent by hand, and its answer, which may come before the body has ended. */
export interface SlowRequest {
  readonly answer: Promise<{ readonly statusCode: number, readonly [member: string]: unknown }>
  write (text: string): void
  /** Ends the body. */
  end (): void
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
}

/** Sends the head of a request, such as `POST /notes`, to an application that listens. */
export function startRequest (
  app: FastifyInstance, line: string, type: string, headers: readonly string[] = ['connection: close']
): SlowRequest {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const given = ['host: localhost', `content-type: ${type}`, 'transfer-encoding: chunked', ...headers]
  socket.write([`${line} HTTP/1.1`, ...given, '', ''].join('\r\n'))
  let text = ''
  const answer = new Promise<Awaited<SlowRequest['answer']>>((resolve, reject) => {
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      const read = readAnswer(text)
      if (read !== undefined) resolve(read)
    })
    socket.on('close', () => { reject(new Error(`the connection was closed after '${text}'`)) })
  })
  answer.catch(() => {})
  socket.on('error', () => {})
  return {
    answer,
    write (part) {
      if (socket.writable) socket.write(`${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`)
    },
    end () { socket.write('0\r\n\r\n') },
    closed: new Promise(resolve => { socket.on('close', () => { resolve() }) })
  }
}

/** Returns the status and the members of an answer; undefined until it is whole. */
function readAnswer (text: string): Awaited<SlowRequest['answer']> | undefined {
  const [, head = '', body = ''] = /^(.*?)\r\n\r\n(.*)$/s.exec(text) ?? []
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  if (head === '' || Buffer.byteLength(body) < length) return undefined
  const statusCode = Number(head.split(' ')[1])
  return { statusCode, ...body.startsWith('{') ? JSON.parse(body) as object : { body } }
}

/** Returns the stream of a logger whose lines are added to a list. */
export const logged = (lines: object[]) => ({ write (line: string) { lines.push(JSON.parse(line) as object) } })

/** Waits until something is so. The test's own limit ends a wait in vain. */
export async function until (isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!await isSo()) await setTimeout(5)
}
