/** Notes the CPU seconds of the files of one process by their names. */
export function noteCosts (group: string, costs: Readonly<Record<string, number>>): void
