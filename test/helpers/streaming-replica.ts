import { type ChildProcess, spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOf } from './postgres-client.ts'
import { freePort, initialize, launch, makeFolder, owner, urlOf } from './postgres-binaries.mjs'

/** A primary server and a replica that streams from it, as URLs. */
export interface Pair {
  readonly primary: string
  readonly replica: string
  /** Runs a statement on the server of that URL and returns its rows. */
  on (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>>
  killReplica (): Promise<void>
  killPrimary (): Promise<void>
  stop (): Promise<void>
}

/** Starts a primary and a replica of it, on free ports. */
export async function startPair (): Promise<Pair> {
  const folder = makeFolder()
  const [first, second] = [join(folder, 'primary'), join(folder, 'replica')]
  const [port, replicaPort] = [await freePort(), await freePort()]
  await initialize(first)
  const primary = await launch({
    data: first,
    folder,
    port,
    settings: ['fsync=off', 'wal_level=replica', 'max_wal_senders=4']
  })
  await copyRunning(urlOf(port), first, second)
  writeFileSync(join(second, 'standby.signal'), '')
  appendFileSync(join(
    second, 'postgresql.auto.conf'
  ), `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`)
  own(second)
  const replica = await launch({ data: second, folder, port: replicaPort, settings: ['hot_standby=on'] })
  return {
    primary: urlOf(port),
    replica: urlOf(replicaPort),
    on: ask,
    killReplica: () => end(replica, 'SIGKILL'),
    killPrimary: () => end(primary, 'SIGKILL'),
    async stop () {
      await end(replica, 'SIGINT')
      await end(primary, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Copies the data of a running server, as pg_basebackup does; npm has no package of that program. */
async function copyRunning (url: string, from: string, to: string): Promise<void> {
  const client = clientOf(url)
  await client.connect()
  await client.query("select pg_backup_start('copy', true)")
  cpSync(from, to, { recursive: true, filter: path => !path.endsWith('postmaster.pid') })
  const { rows: [label] } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  writeFileSync(join(to, 'backup_label'), label?.labelfile ?? '')
}

function own (folder: string): void {
  spawnSync('chmod', ['0700', folder])
  if (owner.uid === undefined || owner.gid === undefined) return
  chownSync(folder, owner.uid, owner.gid)
  spawnSync('chown', ['-R', `${owner.uid}:${owner.gid}`, folder])
}

async function ask (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> {
  const client = clientOf(url)
  await client.connect()
  const { rows } = await client.query<Record<string, unknown>>(text)
  await client.end()
  return rows
}

/** Ends a server with the signal, and resolves once its process has ended. */
export const end = (server: ChildProcess, signal: NodeJS.Signals) => new Promise<void>(resolve => {
  if (server.exitCode !== null || server.signalCode !== null) return resolve()
  server.once('exit', () => { resolve() })
  server.kill(signal)
})
