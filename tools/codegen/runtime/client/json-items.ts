import type { ResponseReader } from './call.js'
import { createCutter, createItemStream, parseItem, type Fault, type Parser } from './stream.js'

/** Reads one JSON value in each line. Empty lines are skipped; the last line may lack its end. */
export const readLines: ResponseReader = (operation, response, maxBytes, signal) =>
  createItemStream(operation, response, signal, (fault) => createLineParser(maxBytes, fault))

/** Reads a JSON text sequence (RFC 7464). */
export const readSequence: ResponseReader = (operation, response, maxBytes, signal) =>
  createItemStream(operation, response, signal, (fault) => createSequenceParser(maxBytes, fault))

function createLineParser(maxBytes: number, fault: Fault): Parser<unknown> {
  const { cut, rest } = createCutter([10], maxBytes, fault)
  const decoder = new TextDecoder()
  function* items(line: Uint8Array): Generator {
    const text = decoder.decode(line)
    if (text.trim() !== '') yield parseItem(text, fault)
  }
  return {
    *push(chunk) {
      for (const [line] of cut(chunk)) yield* items(line)
      return false
    },
    *end() {
      yield* items(rest())
    },
  }
}

/**
 * A record separator begins an item, and a line feed ends it. A line feed within it ends nothing:
 * the item is handed over at the first one outside of all brackets, without waiting for the next
 * item.
 */
function createSequenceParser(maxBytes: number, fault: Fault): Parser<unknown> {
  const { cut, rest } = createCutter([separator, lineFeed], maxBytes, fault)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  let isOpen = trackNesting()
  function* items(isWhole: boolean): Generator {
    const item = text
    ;[text, size, isOpen] = ['', 0, trackNesting()]
    // a number or a word that no white space follows may have been cut off
    if (!isWhole && /[\w.+-]$/.test(item))
      throw fault('malformed_json', 'has an item that was cut off')
    if (item.trim() !== '') yield parseItem(item, fault)
  }
  return {
    *push(chunk) {
      for (const [piece, end] of cut(chunk)) {
        size += piece.byteLength + 1
        if (size > maxBytes) throw fault('too_large', `has an item of more than ${maxBytes} bytes`)
        text += decoder.decode(piece)
        if (end === separator) yield* items(false)
        else if (isOpen(piece)) text += '\n'
        else yield* items(true)
      }
      return false
    },
    *end() {
      text += decoder.decode(rest())
      yield* items(false)
    },
  }
}

const separator = 30
const lineFeed = 10

/** Whether JSON goes on behind a piece of it: within brackets or a string. Each byte is seen once. */
function trackNesting(): (piece: Uint8Array) => boolean {
  let depth = 0
  let inText = false
  let escaped = false
  return (piece) => {
    for (const byte of piece) {
      if (escaped) escaped = false
      else if (inText && byte === 92) escaped = true
      else if (byte === 34) inText = !inText
      // braces differ from brackets by one bit
      else if (!inText && (byte | 32) === 123) depth++
      else if (!inText && (byte | 32) === 125) depth--
    }
    return inText || depth !== 0
  }
}
