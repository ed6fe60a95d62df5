import { InvalidInputError } from '@farebox/client/operations/shared'
import { isRecord } from '@farebox/middleware'
import { mediaField } from './local-media.js'

// The functions that need a file system. A bundle for browsers has `files.browser.ts` instead.
// Neither is packed, so neither may import a packed module such as `error.ts`: its classes would
// exist twice.

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
}

const mebibyte = 1_048_576

/** In MiB, as the contract states them (spec/schemas/QueueVideoRequest.yaml). */
export const mediaLimits: Readonly<Record<string, number>> = {
  audio_url: 15,
  reference_video_urls: 50,
}

/** For fields without a limit in the contract, so that a wrong path does not fill the memory. */
const defaultLimit = 64

type FileSystem = {
  readonly stat: (
    path: string,
  ) => Promise<{ readonly size: number; readonly mode: number; readonly isFile: () => boolean }>
  readonly realpath: (path: string) => Promise<string>
  readonly readFile: (path: string, encoding: 'base64') => Promise<string>
  readonly writeFile: (
    path: string,
    data: AsyncIterable<Uint8Array>,
    options?: { readonly mode: number },
  ) => Promise<void>
  readonly chmod: (path: string, mode: number) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly rm: (path: string, options: { readonly force: boolean }) => Promise<void>
}

type Paths = {
  readonly dirname: (path: string) => string
  readonly join: (...parts: readonly string[]) => string
}

/**
 * Replaces each file on disk in a field for media by its data URL. Other values stay as they are.
 * Throws an `InvalidInputError` for a file that cannot be read, is empty or exceeds the limit of
 * its field, and for one whose type is unknown.
 */
export async function readMedia(
  input: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(input).map(
    async ([name, value]) => [name, await readField(name, value)] as const,
  )
  return { ...input, ...Object.fromEntries(await Promise.all(fields)) }
}

async function readField(name: string, value: unknown): Promise<unknown> {
  if (Array.isArray(value))
    return Promise.all(
      value.map(async (item) =>
        mediaField.test(name) || !isRecord(item) ? readField(name, item) : readMedia(item),
      ),
    )
  return mediaField.test(name) && isRecord(value) && 'path' in value
    ? readDataUrl(name, value)
    : value
}

async function readDataUrl(
  name: string,
  { path, type }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const file = String(path)
  const createFileError = (why: string, cause?: unknown) =>
    new InvalidInputError(`${name}: the file ${JSON.stringify(file)} ${why}`, { cause })
  const fs = findFileSystem()
  if (fs === undefined)
    throw createFileError(
      'cannot be read, because there is no file system here. Pass a URL or a data URL.',
    )
  const mediaType = type ?? types[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '']
  if (typeof mediaType !== 'string')
    throw createFileError('has no known type. Name its media type: { path, type }.')
  const limit = mediaLimits[name] ?? defaultLimit
  const orInvalid = async <Value>(read: Promise<Value>): Promise<Value> =>
    read.catch((cause: unknown) => {
      throw createFileError('cannot be read. Check the path and its permissions.', cause)
    })
  const stats = await orInvalid(fs.stat(file))
  if (!stats.isFile()) throw createFileError('is not a regular file.')
  if (stats.size === 0) throw createFileError('is empty.')
  if (stats.size > limit * mebibyte)
    throw createFileError(`has ${stats.size} bytes, and the limit is ${limit} MB.`)
  return `data:${mediaType};base64,${await orInvalid(fs.readFile(file, 'base64'))}`
}

/**
 * Writes the body of a response to a file. The file appears when it is complete, or not at all. One
 * that exists keeps its permissions, and a link its name. A device or a pipe is written directly.
 */
export async function save(response: Response, path: string): Promise<void> {
  const fs = findFileSystem()
  if (fs === undefined)
    throw new Error('there is no file system here. Read the body with blob() instead.')
  const target = await fs.realpath(path).catch(() => path)
  const stats = await fs.stat(target).catch(() => undefined)
  if (stats?.isFile() === false) return fs.writeFile(target, readChunks(response))
  const { dirname, join } = findBuiltin('node:path') as Paths
  // without the name, which may be as long as names can be
  const unfinished = join(dirname(target), `.${crypto.randomUUID()}.part`)
  try {
    await fs.writeFile(unfinished, readChunks(response), { mode: stats?.mode ?? 0o666 })
    // the umask may have narrowed them
    if (stats) await fs.chmod(unfinished, stats.mode)
    await fs.rename(unfinished, target)
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    throw error
  }
}

async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>
}

/** Undefined in workers, which load this file too. An import of `node:fs` would break them. */
function findFileSystem(): FileSystem | undefined {
  return findBuiltin('node:fs/promises') as FileSystem | undefined
}

function findBuiltin(name: string): unknown {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => unknown }
  }
  return process?.getBuiltinModule?.(name)
}
