import type { ResponseReader } from './call.js'
import { createCutter, createItemStream, parseItem, type Fault, type Parser } from './stream.js'

/**
 * Reads each part of a multipart body as an item, as soon as the delimiter behind it has arrived:
 * JSON parsed, a string as it is, and any other part as a Blob of its type, or a File if it has a
 * name. `prefix` has the types of the first parts and `rest` that of the others, for parts that do
 * not state one.
 */
export function createPartsReader(
  prefix: readonly string[],
  rest: string = 'text/plain',
): ResponseReader {
  return (operation, response, maxBytes, signal) => {
    const declared = response.headers.get('content-type') ?? ''
    const [, quoted, plain = quoted] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(declared) ?? []
    return createItemStream(operation, response, signal, (fault) => {
      if (plain === undefined)
        throw fault('content_type', 'has parts, and its Content-Type no boundary')
      return createPartParser(plain, (index) => prefix[index] || rest, maxBytes, fault)
    })
  }
}

type Part = { readonly headers: Map<string, string>; readonly lines: Uint8Array[] }

/** Parses parts line by line (RFC 2046, section 5.1): what ends a line belongs to the next one. */
function createPartParser(
  boundary: string,
  typeAt: (index: number) => string,
  maxBytes: number,
  fault: Fault,
): Parser<unknown> {
  const { cut, rest } = createCutter([lineFeed], maxBytes, fault)
  const decoder = new TextDecoder()
  let part: Part | undefined
  let isHead = false
  let size = 0
  let index = 0
  /** Whether a line ends a part, and whether it is the last one. */
  const delimits = (line: Uint8Array): 'next' | 'last' | undefined => {
    if (line[0] !== dash || line[1] !== dash || line.byteLength < boundary.length + 2)
      return undefined
    const text = decoder.decode(line).trimEnd()
    return text === `--${boundary}` ? 'next' : text === `--${boundary}--` ? 'last' : undefined
  }
  function* finishPart(): Generator {
    if (part !== undefined) yield decodePart(part, typeAt(index++), fault)
    ;[part, isHead, size] = [{ headers: new Map<string, string>(), lines: [] }, true, 0]
  }
  const add = ({ headers, lines }: Part, line: Uint8Array): void => {
    size += line.byteLength + 1
    if (size > maxBytes) throw fault('too_large', `has an item of more than ${maxBytes} bytes`)
    if (!isHead) return void lines.push(line)
    const text = decoder.decode(line).trimEnd()
    const colon = text.indexOf(':')
    if (text === '') isHead = false
    else if (colon > 0)
      headers.set(text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim())
  }
  return {
    *push(chunk) {
      for (const [line] of cut(chunk)) {
        const end = delimits(line)
        if (end !== undefined) yield* finishPart()
        else if (part !== undefined) add(part, line)
        if (end === 'last') return true
      }
      return false
    },
    *end() {
      if (delimits(rest()) !== 'last')
        throw fault('incomplete_body', 'ended before its last part did')
      yield* finishPart()
    },
  }
}

const lineFeed = 10
const dash = 45

function decodePart({ headers, lines }: Part, usual: string, fault: Fault): unknown {
  const type = headers.get('content-type') ?? usual
  const pieces = lines.flatMap((line, at) =>
    at === lines.length - 1 ? [trimReturn(line)] : [line, newLine],
  )
  const blob = new Blob(pieces as BlobPart[], { type })
  if (!/^text\/|[/+]json\b/i.test(type)) {
    const [, quoted, plain = quoted] =
      /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(
        headers.get('content-disposition') ?? '',
      ) ?? []
    return plain === undefined ? blob : new File([blob], plain.replace(/^.*[/\\]/s, ''), { type })
  }
  const decoder = new TextDecoder()
  const text =
    pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
  return /^text\/(?!json)/i.test(type) ? text : parseItem(text, fault)
}

const newLine = new Uint8Array([lineFeed])

function trimReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === 13 ? line.subarray(0, -1) : line
}
