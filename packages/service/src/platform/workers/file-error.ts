/**
 * Why a pool of workers gave nothing for a file, whatever the file is. The list is closed.
 *
 * - `corrupt`: its reader failed on it
 * - `too_complex`: reading takes more memory than is allowed
 * - `timeout`: reading took longer than allowed
 * - `overloaded`: no worker was free in time, or the pool is shutting down; the file itself was not looked at
 */
export type FileErrorCode = 'corrupt' | 'too_complex' | 'timeout' | 'overloaded'

/** A file that gave nothing. The message says what was found and quotes nothing of the file. */
export class FileError<Code extends string = FileErrorCode> extends Error {
  override readonly name: string = 'FileError'
  readonly code: Code

  constructor(code: Code, message: string) {
    super(message)
    this.code = code
  }
}
