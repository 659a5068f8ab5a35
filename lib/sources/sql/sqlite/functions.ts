import { foldCase } from '../../fold-case.ts'
import { foldFunction } from './dialect.ts'
import type { SqliteDriver } from './driver.ts'

/** Registers the functions that our statements call, but for the clock, on a connection. */
export function registerFunctions (driver: SqliteDriver): void {
  driver.function(foldFunction, { deterministic: true }, text => typeof text === 'string' ? foldCase(text) : text)
}
