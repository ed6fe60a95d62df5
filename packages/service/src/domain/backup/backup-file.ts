import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline, Readable, type Writable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { describeError } from '../../platform/database/storage-error.js'
import { readErrorCode } from '../../platform/error-code.js'
import { readLines } from '../../platform/line-file.js'
import { BackupError, parseBackup, type BackupHead } from './backup-lines.js'

/**
 * Writes the lines of a backup into a new file that only this user can read, or to a stream,
 * compressed. Verifies them on the way. Rejects with a BackupError, and then leaves no file.
 */
export async function writeBackup(
  lines: AsyncIterable<string>,
  to: string | Writable,
): Promise<BackupHead> {
  const heads: BackupHead[] = []
  const text = Readable.from(verified(lines, heads))
  if (typeof to !== 'string') await piped(text, createGzip(), to, { end: false })
  else await writeFile(text, to)
  const [head] = heads
  if (head === undefined) throw new BackupError('The backup is empty.')
  return head
}

async function writeFile(text: Readable, file: string): Promise<void> {
  let isOurs = false
  // flush: the bytes are on the disk before the backup is reported
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }).once(
    'open',
    () => {
      isOurs = true
    },
  )
  try {
    await piped(text, createGzip(), target)
  } catch (cause) {
    if (isOurs) await rm(file, { force: true })
    if (readErrorCode(cause) === 'EEXIST')
      throw new BackupError(`The file ${file} is there already. Give a new one.`, { cause })
    if (cause instanceof BackupError) throw cause
    throw new BackupError(`The backup cannot be written to ${file}: ${describeError(cause)}.`, {
      cause,
    })
  }
}

async function* verified(
  lines: AsyncIterable<string>,
  heads: BackupHead[],
): AsyncGenerator<string> {
  let last = ''
  const noted = async function* () {
    for await (const line of lines) {
      last = line
      yield line
    }
  }
  for await (const part of parseBackup(noted())) {
    if ('format' in part) heads.push(part)
    yield `${last}\n`
  }
  yield `${last}\n`
}

/** The lines of a file. Throws a BackupError for one that cannot be read. */
export async function* readBackup(file: string): AsyncGenerator<string> {
  try {
    yield* readLines(pipeline(createReadStream(file), createGunzip(), () => undefined))
  } catch (cause) {
    const code = readErrorCode(cause)
    if (code === 'Z_BUF_ERROR')
      throw new BackupError(`The backup ${file} is cut off. Use another one.`, { cause })
    if (code?.startsWith('Z_') === true)
      throw new BackupError(
        `The file ${file} is no backup, or has been changed. Use another one.`,
        { cause },
      )
    if (cause instanceof BackupError) throw cause
    throw new BackupError(
      `The backup ${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : describeError(cause)}.`,
      {
        cause,
      },
    )
  }
}
