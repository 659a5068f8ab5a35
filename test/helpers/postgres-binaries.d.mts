import type { ChildProcess } from 'node:child_process'

export declare const owner: { readonly uid?: number, readonly gid?: number }
export declare function makeFolder (): string
export declare function initialize (data: string): Promise<void>
export declare function launch (options: { data: string, folder: string, port: number, settings?: readonly string[], detached?: boolean, wrap?: (command: readonly [string, ...string[]]) => readonly string[] }): Promise<ChildProcess>
export declare function freePort (): Promise<number>
export declare function urlOf (port: number): string
