import type { Excerpt } from '../diagnostics.js'

/** A line and a column of a file, both counted from 1, and an excerpt of the line. */
export type Position = { readonly line: number; readonly column: number; readonly excerpt: Excerpt }

/** Finds the positions of values in a file, by the segments of their JSON pointers. */
export type Locate = (bytes: Uint8Array) => (segments: readonly string[]) => Position

/** Characters in an excerpt. A minified document is a single line. */
const width = 120

/**
 * The part of a line around an offset. `decode` turns units of `text` into characters, of at most
 * four units each.
 */
export function cutExcerpt(
  text: string,
  offset: number,
  decode = (part: string): string => part,
): Excerpt {
  const reach = 4 * width
  const before = decode(
    text.slice(Math.max(0, offset - reach), offset).replace(/^[^]*\n/, ''),
  ).slice(-width)
  const [line = ''] = text.slice(offset, offset + reach).split('\n', 1)
  const whole = before + decode(line).slice(0, width)
  const start = Math.max(0, Math.min(before.length - width / 2, whole.length - width))
  // a slice of a string keeps all of it in memory
  const excerptText = Buffer.from(whole.slice(start, start + width)).toString()
  return { text: excerptText.replace(/\r$/, ''), caret: before.length - start }
}
