import type { Server } from 'node:http'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAnswers } from '../sockets.ts'
import { times } from '../world.ts'

/** A load that a server process makes for itself. `texts`: requests as they are sent. */
export interface OwnLoad { readonly texts: readonly string[], readonly connections: number, readonly seconds: number }

/**
 * Sends requests to a server of this process, over connections that no system knows: what is measured then is the
 * program, without the kernel, and hardly depends on what else the machine does. Returns the number of answers.
 */
export async function pressInMemory (server: Server, { texts, connections, seconds }: OwnLoad): Promise<number> {
  let answers = 0
  let isOver = false
  const connect = (start: number) => {
    let next = start
    // Requests that arrive while the answers of a turn are written are read in the next one, as from the system.
    const ask = () => { setImmediate(() => { socket.push(texts[next++ % texts.length]) }) }
    const read = readAnswers(() => {
      answers++
      if (!isOver) ask()
    })
    const socket = new Duplex({
      read () {},
      write (chunk: Buffer, _encoding, done) {
        read(chunk)
        done()
      },
      writev (chunks, done) {
        read(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)))
        done()
      }
    })
    server.emit('connection', socket)
    ask()
    return socket
  }
  const sockets = times(connections, index => connect(Math.floor(texts.length * index / connections)))
  await sleep(seconds * 1000)
  isOver = true
  for (const socket of sockets) socket.destroy()
  return answers
}
