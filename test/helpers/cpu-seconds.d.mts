/** Returns the CPU seconds of this process, on Linux with those of the processes that have ended which it started. */
export function cpuSeconds (): number
