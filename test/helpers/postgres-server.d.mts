/** Starts the server of a run, and returns its URL; undefined where none is needed. */
export function start (): Promise<string | undefined>
/** Ends the server that was started, and removes its data. */
export function stop (): Promise<void>
