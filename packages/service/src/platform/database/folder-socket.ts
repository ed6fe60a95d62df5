import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { readErrorCode } from '../unknown-value.js'
import { timeLimit, LateError, withTimeout } from '../time.js'
import { findBuiltWorker } from '../workers/worker-pool.js'
import { StorageError } from './storage-error.js'

/** Some systems limit socket paths to 104 bytes, including the terminating zero. */
const longestPath = 103

/**
 * Lets other processes of this user read lines from the process that holds a folder: each that
 * connects to the socket in the folder gets all of them. Rejects with a StorageError where there
 * can be no such socket.
 */
export async function serveFolder(
  folder: string,
  lines: () => AsyncIterable<string>,
  onError: (error: unknown) => void,
): Promise<{ readonly close: () => Promise<void> }> {
  const path = findSocketPath(folder)
  // the lock of the folder says that an old one has no listener
  await rm(path, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // a process that leaves is not this one's fault
    pipeline(Readable.from(terminateLines(lines(), onError)), socket).catch(() => undefined)
  })
  server.listen(path)
  try {
    await once(server, 'listening')
    await chmod(path, 0o600)
  } catch (cause) {
    server.close()
    throw new StorageError(
      `The folder ${folder} can have no socket: ${readErrorCode(cause) ?? String(cause)}.`,
      { cause },
    )
  }
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** What the process that holds a folder sends. Undefined where no process listens. */
export async function connectToFolder(
  folder: string,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const socket = createConnection(findSocketPath(folder))
  try {
    await once(socket, 'connect')
    return socket
  } catch (cause) {
    if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes(readErrorCode(cause) ?? '')) return undefined
    throw new StorageError(
      `The process that uses the folder ${folder} cannot be asked: ${readErrorCode(cause) ?? String(cause)}. Run the command as the user of that process.`,
      { cause },
    )
  }
}

/** The shorter of the paths of the socket. */
function findSocketPath(folder: string): string {
  const absolute = join(resolve(folder), 'backup.sock')
  const short = relative(process.cwd(), absolute)
  const path = short.length < absolute.length ? short : absolute
  if (Buffer.byteLength(path) <= longestPath) return path
  throw new StorageError(
    `The path of the folder ${folder} is too long for a socket in it: backups need the service to be stopped.`,
  )
}

async function* terminateLines(
  lines: AsyncIterable<string>,
  onError: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    for await (const line of lines) yield `${line}\n`
  } catch (error) {
    onError(error)
    throw error
  }
}

/**
 * Resolves once the disk of a data folder responds. Rejects with a StorageError after `ms`.
 *
 * Another process does this: Node cannot exit while a file call of its own hangs, so a service on a
 * dead network share would neither start nor exit.
 */
export async function waitForFolder(folder: string, ms = timeLimit(10_000)): Promise<void> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(findBuiltWorker(import.meta.url, 'read-folder')), folder],
    { stdio: 'ignore' },
  )
  try {
    await withTimeout(ms, () => once(child, 'exit'))
  } catch (error) {
    if (!(error instanceof LateError)) throw error
    child.kill('SIGKILL')
    child.unref()
    throw new StorageError(
      `The data folder ${folder} does not respond: its disk was silent for ${Math.ceil(ms / 1000)} s. Check the disk or the network share, or give another folder with --data.`,
    )
  }
}
