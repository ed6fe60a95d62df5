import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'

/** A file or URL of the document, with the hash of its bytes if it could be read. */
export type Input = { readonly location: string; readonly hash?: string }

/** The inputs beside files: the network and standard input. */
export type Inputs = {
  readonly fetch: typeof globalThis.fetch
  /** Sent to the origin of the entry, and to no other. */
  readonly headers: Readonly<Record<string, string>>
  /** What `-` reads. */
  readonly stdin: AsyncIterable<Uint8Array>
}

/**
 * The bytes of an input, and its URL if redirects led to another; or the reason why it cannot be
 * read.
 */
export type ReadResult =
  | { readonly bytes: Uint8Array; readonly location?: string }
  | { readonly rejected: string }

/** Far above any real document. */
const maxBytes = 64 * 1024 * 1024

const maxMilliseconds = 30_000

const maxRedirects = 5

/** Reads a file, of any size as it is the caller's own, and notes it. */
export async function readBytes(location: string, inputs: Input[]): Promise<ReadResult> {
  const read = await readLocal(location)
  inputs.push('bytes' in read ? hashOnUse(location, read.bytes) : { location })
  return read
}

/** Only the cache reads hashes. */
function hashOnUse(location: string, bytes: Uint8Array): Input {
  let known: string | undefined
  return {
    location,
    get hash() {
      return (known ??= sha256(bytes))
    },
  }
}

async function readLocal(path: string): Promise<ReadResult> {
  try {
    return { bytes: await readFile(path) }
  } catch {
    return { rejected: 'no readable file' }
  }
}

/** Reads a stream to its end. */
export async function readStream(stream: AsyncIterable<Uint8Array>): Promise<ReadResult> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > maxBytes) return { rejected: `more than ${maxBytes / 1024 / 1024} MB` }
    chunks.push(chunk)
  }
  return { bytes: Buffer.concat(chunks) }
}

/**
 * Reads a URL within 30 seconds. Headers are sent only to the origin `trusted`; a request with headers
 * follows only redirects within this origin.
 */
export async function readUrl(
  url: string,
  { fetch, headers }: Omit<Inputs, 'stdin'>,
  trusted: string | undefined,
): Promise<ReadResult> {
  const signal = AbortSignal.timeout(maxMilliseconds)
  const own = new URL(url).origin === trusted ? headers : {}
  const secret = Object.keys(own).length > 0
  try {
    let at = new URL(url)
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const response = await fetch(at, { headers: own, redirect: 'manual', signal })
      const location =
        response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) {
        if (!response.ok || response.body === null) return { rejected: `status ${response.status}` }
        return { ...(await readStream(response.body)), location: at.href }
      }
      await response.body?.cancel()
      const next = new URL(location, at)
      if (!/^https?:$/.test(next.protocol)) return { rejected: `a redirect to ${next.protocol}` }
      if (secret && next.origin !== trusted)
        return { rejected: 'a redirect to another origin, which must not have the header' }
      at = next
    }
    return { rejected: `more than ${maxRedirects} redirects` }
  } catch {
    return {
      rejected: signal.aborted
        ? `no complete response within ${maxMilliseconds / 1000} seconds`
        : 'no response',
    }
  }
}

/** Whether an address is a URL and not a path. A letter before the colon is a drive. */
export function isUrl(location: string): boolean {
  return /^[a-z][a-z\d+.-]+:/i.test(location)
}

/** The target of a reference: an absolute path, or a URL, whose escapes have a meaning. */
export function locate(from: string, file: string): string {
  if (!isUrl(file) && !isUrl(from)) return resolve(dirname(from), unescapeUri(file))
  return URL.canParse(file, isUrl(from) ? from : undefined)
    ? new URL(file, isUrl(from) ? from : undefined).href
    : file
}

/** The text without its escapes, if they are valid. */
export function unescapeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A URL without its query, which may contain a secret. */
export function displayUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** Whether a path is in a folder or below it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A path relative to the working or entry folder, so that it is equal on every machine. */
export function displayPath(path: string, cwd: string, folder: string): string {
  return relative(isInside(path, cwd) ? cwd : folder, path).replaceAll('\\', '/')
}

/** The SHA-256 of the concatenated parts, in hex. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest('hex')
}
