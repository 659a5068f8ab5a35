import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DataApiError, internal, unavailable } from '../errors/errors.ts'

const prefix = 'fastify-data-api-'

/**
 * A file for bytes that are too many for the memory. It has no name once it is open, so that nothing of it stays where
 * the process is killed. Its methods reject with `unavailable` or `internal`: a disk is never the client's fault.
 */
export class TemporaryFile {
  private readonly file: FileHandle
  /** Undefined for a file whose name is gone already. */
  private readonly path: string | undefined

  private constructor (file: FileHandle, path: string | undefined) {
    this.file = file
    this.path = path
  }

  static async open (): Promise<TemporaryFile> {
    const path = join(tmpdir(), `${prefix}${process.pid}-${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600).catch(fail)
    // Windows may refuse this as long as the file is open.
    const isNamed = await rm(path).then(() => false, () => true)
    return new TemporaryFile(file, isNamed ? path : undefined)
  }

  async append (bytes: Buffer): Promise<void> {
    await this.file.appendFile(bytes).catch(fail)
  }

  /** Returns the bytes from the beginning. */
  async * read (): AsyncGenerator<Buffer> {
    try {
      yield * this.file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>
    } catch (error) {
      fail(error)
    }
  }

  /** Does not reject: what was made of the bytes may be committed by now. */
  async close (): Promise<void> {
    await this.file.close().catch(() => {})
    if (this.path !== undefined) await rm(this.path, { force: true }).catch(() => {})
  }
}

function fail (error: unknown): never {
  throw faultOf(error)
}

/** Returns the error for a file that cannot be made, written or read: it may be over soon, or somebody must mend it. */
function faultOf (error: unknown): DataApiError {
  const isPassing = error instanceof Error && 'code' in error && passing.has(error.code)
  return isPassing
    ? unavailable(error, 'The server has no room for the body at the moment. Nothing was written. Try again later.')
    : internal(error)
}

/** No room on the disk or for its user, no room for another open file in the process or the system, and no memory. */
const passing: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM'])

/** Removes the files whose processes were killed before their names were gone. */
export async function removeLeftFiles (): Promise<void> {
  const folder = tmpdir()
  // Whatever is wrong with the folder is told by the first import that needs it.
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const [, id] = leftName.exec(name) ?? []
    if (id !== undefined && !isRunning(Number(id))) await rm(join(folder, name), { force: true }).catch(() => {})
  }
}

const leftName = new RegExp(`^${prefix}(\\d+)-`)

function isRunning (id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
