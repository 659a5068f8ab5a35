import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { openByHand } from './by-hand.ts'
import { openFloor } from './floor.ts'
import { openPlatformatic } from './platformatic.ts'
import { openPlugin } from './plugin.ts'
import type { Asked, Served, Usage } from './protocol.ts'

// A server in a process of its own; process.ts starts it, is sent its port, and asks it what it has used.

const served = JSON.parse(process.argv[2] ?? '') as Served
const delay = monitorEventLoopDelay({ resolution: 1 })
let collecting = 0
new PerformanceObserver(list => {
  for (const { duration } of list.getEntries()) collecting += duration
}).observe({ entryTypes: ['gc'] })

const app = await open(served)
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.on('message', asked => { process.send?.(answer(asked as Asked)) })
process.send?.((app.server.address() as AddressInfo).port)

function open ({ subject, setting }: Served): FastifyInstance | Promise<FastifyInstance> {
  switch (subject) {
    case 'floor': return openFloor()
    case 'by hand': return openByHand(setting)
    case 'plugin': return openPlugin(setting)
    case 'wide plugin': return openPlugin(setting, { maxSize: 10_000 })
    case 'platformatic':
      if (setting.source !== 'sqlite') throw new TypeError('Platformatic is compared on SQLite')
      return openPlatformatic(setting.file)
  }
}

function answer (asked: Asked): Usage {
  if (asked === 'watch') {
    delay.enable()
    delay.reset()
  }
  // Started with --expose-gc: what a heap holds is known after it is collected only.
  if (asked === 'collect') global.gc?.()
  const { user, system } = process.cpuUsage()
  return {
    cpu: user + system,
    heap: getHeapStatistics().used_heap_size,
    rss: process.memoryUsage.rss(),
    pause: delay.max / 1e6,
    collecting
  }
}
