import { createReadStream, type Stats } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { FileInput } from '@farebox/client'
import { expected } from '@farebox/command-line'
import type { Terminal } from './terminal.js'
import { UsageError } from '../command.js'

/** Reads all of stdin, up to a limit in bytes. Does not read from a terminal. */
export async function readStdin(terminal: Terminal, limit: number): Promise<Uint8Array> {
  if (terminal.in.isTTY === true)
    throw new UsageError('- means stdin, but nothing is piped into it.')
  return readAll(terminal.in, 'stdin', limit)
}

async function readAll(
  input: AsyncIterable<unknown>,
  name: string,
  limit: number,
): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of input) {
    const buffer = Buffer.from(part as Uint8Array)
    bytes += buffer.length
    if (bytes > limit)
      throw new UsageError(`${name} has more than the ${limit} bytes that are allowed.`)
    parts.push(buffer)
  }
  return Buffer.concat(parts)
}

/**
 * A file for a call. A pipe, such as that of `<(command)`, is read whole: its size is not known, and
 * it can be read only once.
 */
export async function openInput(path: string, limit: number): Promise<FileInput> {
  const file = await requireFile(path)
  return file.isFIFO() ? readAll(createReadStream(path), path, limit) : { path }
}

/**
 * Decodes UTF-8 strictly: an incomplete character, or bytes of another encoding, must not be sent
 * as replacement characters.
 */
export function decodeText(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${where} is not UTF-8 text. Convert it, for instance with iconv.`)
  }
}

/** An operand, or for - what is piped into stdin. */
export async function readText(terminal: Terminal, operand: string): Promise<string> {
  return operand === '-' ? decodeText(await readStdin(terminal, 8_000_000), 'stdin') : operand
}

/** Checks that the path exists and is a file, or a pipe. */
export async function requireFile(path: string): Promise<Stats> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error) {
    if (stats.code === 'ENOENT')
      throw new UsageError(`There is no file ${JSON.stringify(path)}. Check the path.`)
    throw new UsageError(
      `The file ${JSON.stringify(path)} cannot be read (${stats.code ?? stats.message}). Check the path and its permissions.`,
    )
  }
  if (!stats.isFile() && !stats.isFIFO())
    throw new UsageError(`${JSON.stringify(path)} is not a file; expected a file.`)
  return stats
}

const mediaTypes = {
  image: {
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    webp: 'image/webp',
    gif: 'image/gif',
  },
  video: { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' },
  audio: { wav: 'audio/wav', mp3: 'audio/mpeg' },
} as const

/** Returns a URL unchanged, and a file as a data URL with the media type of its extension. */
export async function toMediaUrl(
  text: string,
  flag: string,
  kind: keyof typeof mediaTypes,
): Promise<string> {
  if (/^(?:https?|data):/i.test(text)) return text
  await requireFile(text)
  const extension = /\.([a-z\d]+)$/i.exec(text)?.[1]?.toLowerCase() ?? ''
  const types: Readonly<Record<string, string>> = mediaTypes[kind]
  const type = types[extension]
  if (type === undefined)
    throw expected(`--${flag}`, text, `a file that ends in .${Object.keys(types).join(', .')}`)
  return `data:${type};base64,${(await readFile(text)).toString('base64')}`
}
