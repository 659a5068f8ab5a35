import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** A file system that has little room, in memory. */
export interface SmallDisk {
  readonly folder: string
  remove (): void
}

/** Mounts a file system on a folder. `size`: as mount reads it. Undefined where that is not allowed. */
export function mountSmall (folder: string, size: string): SmallDisk | undefined {
  if (spawnSync('mount', optionsFor(folder, size)).status !== 0) return undefined
  const unmount = () => { spawnSync('umount', ['-l', folder]) }
  process.once('exit', unmount)
  return {
    folder,
    remove () {
      unmount()
      process.off('exit', unmount)
    }
  }
}

/**
 * Makes a file system without the right to mount one, where Linux lets a process mount for itself: it lasts as long as
 * that process, and its folder leads through /proc. SQLite does not open databases there. Undefined where that is not
 * allowed.
 */
export async function makeSmall (folder: string, size: string): Promise<SmallDisk | undefined> {
  const mounted = mountSmall(folder, size)
  if (mounted !== undefined) return mounted
  const script = 'mount "$@" && echo mounted && exec cat'
  const holder = spawn('unshare', ['-r', '-m', 'sh', '-c', script, 'sh', ...optionsFor(folder, size)],
    { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(holder, 'exit').catch(() => [])
  const said = await Promise.race([once(holder.stdout, 'data'), ended.then(() => undefined)])
  if (said === undefined) return undefined
  return { folder: `/proc/${holder.pid}/root${folder}`, remove () { holder.stdin.end() } }
}

const optionsFor = (folder: string, size: string) => ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]
