import { setTimeout } from 'node:timers/promises'
import { nameOf } from './judge.ts'
import { everyKind, isAcknowledged, type Kind, writeUntilAcknowledged } from './load.ts'
import { type Effort, healedIn, merge, type Outcome } from './outcome.ts'
import { makeDatabase, type Postgres, startPostgres, withDatabase } from './postgres.ts'
import { servePostgres } from './postgres-api.ts'
import { type Fate, type Frame, passAll, startProxy } from './proxy.ts'

// A proxy strikes each frame of each kind of write once: it cuts the connection before the frame or after it, or holds
// the frame until the API has given up. Held frames are then let through, as by a network that was slow.

/** A frame of a kind of write, by its place in the write from 1. */
interface Place { readonly kind: Kind, readonly at: number, readonly frame: Frame }

const strikes = ['cut before', 'cut after', 'held'] as const
type Strike = typeof strikes[number]

// The API waits for what is held, so several wait side by side: each on a database of its own, so that none waits for
// the locks of another.
const lanes = 4
const supply = 2000

/** Strikes each frame of each kind of write. */
export async function postgresFrames (effort: Effort): Promise<readonly Outcome[]> {
  const server = await startPostgres(1, ['fsync=off'])
  const places = await listPlaces(effort, server)
  // The short form strikes a third of the frames, another third for each strike.
  const isStruck = (place: number, strike: number) => !effort.quick || place % strikes.length === strike
  const outcomes: Outcome[] = []
  for (const [index, strike] of strikes.entries()) {
    const struck = places.filter((_frame, place) => isStruck(place, index))
    const made = await Promise.all(Array.from({ length: lanes }, (_, lane) => {
      const share = struck.filter((_place, place) => place % lanes === lane)
      return strikeEach(effort, server, { strike, places: share })
    }))
    outcomes.push(merge(`each frame of each write ${strike}`, made))
  }
  await server.close()
  return outcomes
}

let databases = 0

/** Serves a new database on one connection, through a proxy. */
async function serveAlone (effort: Effort, server: Postgres) {
  const name = `lane_${++databases}`
  const url = await makeDatabase(server.url, name, supply)
  const proxy = await startProxy(server.port)
  // Within these limits a busy machine does what is not struck; a frame is held until the second is over.
  const limits = { connectionTimeout: 30_000, statementTimeout: 1000 }
  const options = { connectionString: withDatabase(proxy.url, name), max: 1, ...limits }
  return { url, proxy, served: await servePostgres({ effort, supply, options }) }
}

/** Watches each kind of write once, after another has prepared its statements. The short form watches a few kinds. */
async function listPlaces (effort: Effort, server: Postgres): Promise<readonly Place[]> {
  const { proxy, served } = await serveAlone(effort, server)
  const places: Place[] = []
  for (const kind of effort.quick ? quickKinds : everyKind) {
    await served.writer.write(kind)
    const frames: Frame[] = []
    proxy.decide(frame => {
      frames.push(frame)
      return 'pass'
    })
    await served.writer.write(kind)
    proxy.decide(passAll)
    places.push(...frames.map((frame, index) => ({ kind, at: index + 1, frame })))
  }
  await served.api.stop()
  await proxy.close()
  return places
}

const quickKinds = ['single create', 'create with hook', 'create with key'] as const

interface Lane { readonly strike: Strike, readonly places: readonly Place[] }

async function strikeEach (effort: Effort, server: Postgres, { strike, places }: Lane): Promise<Outcome> {
  const { url, proxy, served: { writer, judge } } = await serveAlone(effort, server)
  const heals: number[] = []
  const wrong: string[] = []
  let struck = 0
  for (const { kind, at, frame } of places) {
    await writeUntilAcknowledged(writer, kind)
    const { fateOf, release, hasStruck } = makeStrike(strike, at)
    proxy.decide(fateOf)
    await writer.write(kind)
    proxy.decide(passAll)
    release()
    const over = performance.now()
    if (hasStruck()) struck++
    await setTimeout(20)
    const next = await writer.write(kind)
    if (!isAcknowledged(next)) wrong.push(`the request after ${frame.from} ${frame.type} of ${kind}: ${nameOf(next)}`)
    await writeUntilAcknowledged(writer, kind)
    heals.push(healedIn(writer.writes, over))
  }
  const outcome = await judge(url, { name: strike, struck, heals, wrong })
  await proxy.close()
  return outcome
}

/** Strikes the frame at one place and lets all others pass. */
function makeStrike (strike: Strike, at: number) {
  let seen = 0
  let release = () => {}
  const until = new Promise<void>(resolve => { release = resolve })
  const fate: Fate = strike === 'held' ? { until } : strike
  return { fateOf: (): Fate => ++seen === at ? fate : 'pass', release, hasStruck: () => seen >= at }
}
