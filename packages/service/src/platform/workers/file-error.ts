/**
 * Why a file could not be read. The list is closed.
 *
 * - `corrupt`: its reader failed
 * - `too_complex`: over the memory limit
 * - `timeout`: over the time limit
 * - `overloaded`: no worker was free in time, or the pool is shutting down. The file was not read.
 */
export type FileErrorCode = 'corrupt' | 'too_complex' | 'timeout' | 'overloaded'

/** A file that could not be read. The message does not quote the file. */
export class FileError<Code extends string = FileErrorCode> extends Error {
  override readonly name: string = 'FileError'
  readonly code: Code

  constructor(code: Code, message: string) {
    super(message)
    this.code = code
  }
}
