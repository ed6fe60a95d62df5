import { InvalidInputError } from '@farebox/client/operations/shared'
import { isRecord } from '@farebox/middleware'
import { isMedia } from './local-media.js'

// The functions that need a file system. A bundle for browsers has `files.browser.ts` instead.
// Neither may import a packed module, such as `error.ts`: its classes would be there twice.

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
export const mediaLimits: Readonly<Record<string, number>> = { audio_url: 15, reference_video_urls: 50 }

/** For fields without a limit in the contract, so that a wrong path does not fill the memory. */
const usualLimit = 64

type FileSystem = {
  readonly stat: (path: string) => Promise<{ readonly size: number; readonly isFile: () => boolean }>
  readonly readFile: (path: string, encoding: 'base64') => Promise<string>
  readonly writeFile: (path: string, data: AsyncIterable<Uint8Array>) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly rm: (path: string, options: { readonly force: boolean }) => Promise<void>
}

/**
 * Replaces each file on disk in a field for media by its data URL. Other values stay as they are.
 * Throws an `InvalidInputError` for a file that cannot be read, is empty or exceeds the limit of
 * its field, and for one whose type is unknown.
 */
export async function readMedia(input: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(input).map(async ([name, value]) => [name, await readField(name, value)] as const)
  return { ...input, ...Object.fromEntries(await Promise.all(fields)) }
}

async function readField(name: string, value: unknown): Promise<unknown> {
  if (Array.isArray(value))
    return Promise.all(value.map(async (item) => (isMedia(name) || !isRecord(item) ? readField(name, item) : readMedia(item))))
  return isMedia(name) && isRecord(value) && 'path' in value ? dataUrl(name, value) : value
}

async function dataUrl(name: string, { path, type }: Readonly<Record<string, unknown>>): Promise<string> {
  const file = String(path)
  const refused = (why: string, cause?: unknown) => new InvalidInputError(`${name}: the file ${JSON.stringify(file)} ${why}`, { cause })
  const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } }
  const fs = process?.getBuiltinModule?.('node:fs/promises') as FileSystem | undefined
  if (fs === undefined) throw refused('cannot be read, because there is no file system here. Give a URL or a data URL.')
  const media = type ?? types[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '']
  if (typeof media !== 'string') throw refused('has no known type. Name its media type: { path, type }.')
  const most = mediaLimits[name] ?? usualLimit
  const readable = async <Value>(read: Promise<Value>): Promise<Value> =>
    read.catch((cause: unknown) => {
      throw refused('cannot be read. Check the path and its permissions.', cause)
    })
  const found = await readable(fs.stat(file))
  if (!found.isFile()) throw refused('is a folder, or something else that is no file.')
  if (found.size === 0) throw refused('is empty.')
  if (found.size > most * mebibyte) throw refused(`has ${found.size} bytes, and the limit is ${most} MB.`)
  const text = await readable(fs.readFile(file, 'base64'))
  return `data:${media};base64,${text}`
}

/** Writes the body of a response to a file, which is there in whole or not at all. */
export async function save(response: Response, path: string): Promise<void> {
  const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } }
  const fs = process?.getBuiltinModule?.('node:fs/promises') as FileSystem | undefined
  if (fs === undefined) throw new Error('there is no file system here. Read the body with blob() instead.')
  const unfinished = `${path}.${crypto.randomUUID()}.part`
  try {
    await fs.writeFile(unfinished, chunksOf(response))
    await fs.rename(unfinished, path)
  } catch (error) {
    await fs.rm(unfinished, { force: true })
    throw error
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) yield* body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>
}
