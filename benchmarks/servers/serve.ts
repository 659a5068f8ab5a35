import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { openByHand } from './by-hand.ts'
import { openFloor } from './floor.ts'
import { openPlatformatic } from './platformatic.ts'
import { openPlugin } from './plugin.ts'
import type { Question, ServerSettings, Usage } from './protocol.ts'

// A server process. process.ts starts it, receives its port, and asks for its usage.

const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings
const delay = monitorEventLoopDelay({ resolution: 1 })
let collecting = 0
new PerformanceObserver(list => {
  for (const { duration } of list.getEntries()) collecting += duration
}).observe({ entryTypes: ['gc'] })

const app = await open(settings)
await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => { process.exit() })
process.on('message', question => { process.send?.(answer(question as Question)) })
process.send?.((app.server.address() as AddressInfo).port)

function open ({ subject, setting }: ServerSettings): FastifyInstance | Promise<FastifyInstance> {
  switch (subject) {
    case 'floor': return openFloor()
    case 'by hand': return openByHand(setting)
    case 'tagged': return openByHand(setting, true)
    case 'plugin': return openPlugin(setting)
    case 'wide plugin': return openPlugin(setting, { pages: { maxSize: 10_000 } })
    case 'live plugin': return openPlugin(setting, { live: true })
    case 'platformatic':
      if (setting.source !== 'sqlite') throw new TypeError('Platformatic is compared on SQLite')
      return openPlatformatic(setting.file)
  }
}

function answer (question: Question): Usage {
  if (question === 'watch') {
    delay.enable()
    delay.reset()
  }
  // The process runs with --expose-gc: the size of live data is known only after a collection.
  if (question === 'collect') global.gc?.()
  const { user, system } = process.cpuUsage()
  return {
    cpu: user + system,
    heap: getHeapStatistics().used_heap_size,
    rss: process.memoryUsage.rss(),
    pause: delay.max / 1e6,
    collecting
  }
}
