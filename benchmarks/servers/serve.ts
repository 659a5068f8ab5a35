import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { openByHand } from './by-hand.ts'
import { openFloor } from './floor.ts'
import { openImportByHand } from './import-by-hand.ts'
import { pressInMemory } from './in-memory.ts'
import { openPlugin } from './plugin.ts'
import type { OtherSubject, Question, ServerSettings, Usage } from './protocol.ts'
import { openPlatformatic, openRival } from './rivals.ts'
import { openRuled, openSpecial } from './special.ts'

// A server process. process.ts starts it, receives its port, and asks for its usage.

const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings
const delay = monitorEventLoopDelay({ resolution: 1 })
let collecting = 0
new PerformanceObserver(list => {
  for (const { duration } of list.getEntries()) collecting += duration
}).observe({ entryTypes: ['gc'] })

const server = await listen(await open(settings))
process.on('disconnect', () => { process.exit() })
process.on('message', question => { answer(question as Question).then(usage => process.send?.(usage), fail) })
process.send?.((server.address() as AddressInfo).port)

function fail (error: unknown): never { throw error }

type App = FastifyInstance | Server

function open ({ subject, setting }: ServerSettings): App | Promise<App> {
  switch (subject) {
    case 'floor': return openFloor()
    case 'by hand': return openByHand(setting)
    case 'tagged': return openByHand(setting, true)
    case 'plugin': return openPlugin(setting)
    case 'wide plugin': return openPlugin(setting, { pages: { maxSize: 10_000 } })
    case 'live plugin': return openPlugin(setting, { live: true })
    case 'importing plugin': return openPlugin(setting, { imports: true })
    case 'import by hand': return openImportByHand(setting)
    case 'special':
    case 'ruled plugin':
    case 'platformatic':
    case 'express':
    case 'drizzle':
    case 'feathers':
      if (setting.source !== 'sqlite') throw new TypeError(`${subject} is compared on SQLite`)
      return openOnSqlite(subject, setting.file)
  }
}

function openOnSqlite (
  subject: 'special' | 'ruled plugin' | 'platformatic' | OtherSubject, file: string
): App | Promise<App> {
  switch (subject) {
    case 'special': return openSpecial(file)
    case 'ruled plugin': return openRuled(file)
    case 'platformatic': return openPlatformatic(file)
    default: return openRival(subject, file)
  }
}

async function listen (app: App): Promise<Server> {
  if ('server' in app) {
    await app.listen({ host: '127.0.0.1', port: 0 })
    return app.server
  }
  await once(app.listen(0, '127.0.0.1'), 'listening')
  return app
}

async function answer (question: Question): Promise<Usage> {
  if (question === 'watch') {
    delay.enable()
    delay.reset()
  }
  // The process runs with --expose-gc: the size of live data is known only after a collection.
  if (question === 'collect') global.gc?.()
  const answers = typeof question === 'string' ? 0 : await pressInMemory(server, question)
  const { user, system } = process.cpuUsage()
  return {
    cpu: user + system,
    heap: getHeapStatistics().used_heap_size,
    rss: process.memoryUsage.rss(),
    peak: process.resourceUsage().maxRSS * 1024,
    pause: delay.max / 1e6,
    collecting,
    answers
  }
}
