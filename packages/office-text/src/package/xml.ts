import { SaxesParser } from 'saxes'
import { ExtractTextError } from '../findings.js'
import type { Limits } from '../limits.js'
import type { Archive } from './zip.js'

/** Element names have no prefix: `w:p` is `p`. Attribute names keep theirs. */
type XmlHandlers = {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
}

/**
 * Reads one XML part of an archive while it inflates. `label` names the part in messages. Throws
 * `corrupt` for a part that is not well-formed or has a document type, and `too_complex` for deep
 * nesting. Office parts have no document type, and entity bombs need one.
 */
export function readXml(
  archive: Archive,
  path: string,
  label: string,
  limits: Limits,
  handlers: XmlHandlers,
): void {
  const parser = new SaxesParser({ xmlns: false, position: false })
  let depth = 0

  parser.on('error', () => rejectMalformed(label, 'is not well-formed XML'))
  parser.on('doctype', () =>
    rejectMalformed(label, 'declares a document type, which Office documents never do'),
  )
  parser.on('opentag', (tag) => {
    depth += 1
    if (depth > limits.depth) {
      throw new ExtractTextError(
        'too_complex',
        `The ${label} of the file nests more than ${limits.depth} elements, which is the limit.`,
      )
    }
    handlers.open?.(readLocalName(tag.name), tag.attributes)
  })
  parser.on('closetag', (tag) => {
    depth -= 1
    handlers.close?.(readLocalName(tag.name))
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))

  const decoder = createLazyDecoder()
  archive.read(path, (bytes) => {
    parser.write(decode(() => decoder(bytes, true), label))
  })
  parser.write(decode(() => decoder(new Uint8Array(0), false), label))
  parser.close()
}

function readLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Parts are UTF-8, or UTF-16 with a byte order mark (ECMA-376 part 2, 8.1.4). */
function createLazyDecoder(): (bytes: Uint8Array, more: boolean) => string {
  let decoder: TextDecoder | undefined
  return (bytes, more) => {
    decoder ??= new TextDecoder(detectEncoding(bytes), { fatal: true })
    return decoder.decode(bytes, { stream: more })
  }
}

function detectEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

function decode(work: () => string, label: string): string {
  try {
    return work()
  } catch {
    return rejectMalformed(label, 'is not valid UTF-8 or UTF-16')
  }
}

function rejectMalformed(label: string, what: string): never {
  throw new ExtractTextError(
    'corrupt',
    `The ${label} of the file ${what}. Save the document again and send the new file.`,
  )
}

/** The value of `w:val`, with any prefix. */
export function readValue(
  attributes: Readonly<Record<string, string>>,
  name = 'val',
): string | undefined {
  const suffix = `:${name}`
  for (const key in attributes) if (key === name || key.endsWith(suffix)) return attributes[key]
  return undefined
}

/** A switch of WordprocessingML is on without a value. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !['0', 'false', 'off'].includes(value)
}

/** A whole number, or the default for anything else. */
export function readInteger(value: string | undefined, otherwise: number): number {
  return /^-?\d{1,9}$/.test(value ?? '') ? Number(value) : otherwise
}

/**
 * The characters of a string with escapes: `_x000D_` (ECMA-376 part 1, 22.9.2.19). Control characters
 * other than white space have no display and are left out.
 */
export function unescapeXstring(text: string): string {
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => {
    const unit = parseInt(code, 16)
    return unit >= 32 || [9, 10, 11, 12, 13].includes(unit) ? String.fromCharCode(unit) : ''
  })
}
