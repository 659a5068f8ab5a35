import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the CPU seconds of this process, on Linux with those of the processes that it has started and that have
 * ended.
 */
export function cpuSeconds () {
  const { user, system } = process.cpuUsage()
  return statOf('self')?.seconds ?? (user + system) / 1e6
}

/** Returns the CPU seconds of a process and of those it has started; undefined where the system does not show them. */
export function treeSeconds (pid) {
  const own = statOf(pid)
  if (own === undefined) return undefined
  const children = readdirSync('/proc').map(statOf).filter(stat => stat?.parent === pid)
  return children.reduce((sum, { seconds }) => sum + seconds, own.seconds)
}

/** proc_pid_stat(5): the fields after the name, of which the times are in hundredths of a second. */
function statOf (pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), seconds: ticks / 100 }
  } catch {
    return undefined
  }
}
