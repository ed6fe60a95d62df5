/**
 * Called for each member or element of JSON text, with its segment, its depth counted from 1, the
 * offset of its key (of its value, in an array), and whether the key is a duplicate.
 */
export type Visit = (segment: string, depth: number, offset: number, twice: boolean) => void

type Frame = { readonly keys: Set<string> | undefined; index: number }

/**
 * The bytes of JSON as a Latin-1 string. It takes half the memory of the decoded text, or a
 * quarter, and is faster to search. The syntax of JSON is ASCII, so the functions here work on such
 * strings, and offsets are in bytes.
 */
export function toLetters(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Decodes a part of such a string. */
export function decodeLetters(letters: string): string {
  return /^[\0-\x7f]*$/.test(letters) ? letters : Buffer.from(letters, 'latin1').toString()
}

/**
 * The same JSON in ASCII. It takes half the memory of the decoded text and is parsed faster. Undefined
 * if much would have to be escaped, or a backslash before it might be an escape already.
 */
export function escapeLetters(letters: string): string | undefined {
  let text = ''
  let [after, left] = [0, mostEscapes]
  for (const { 0: run, index } of letters.matchAll(/[\x80-\xff]+/g)) {
    if (left-- === 0 || letters[index - 1] === '\\') return undefined
    text += letters.slice(after, index) + escapeRun(run)
    after = index + run.length
  }
  return text + letters.slice(after)
}

function escapeRun(run: string): string {
  const decoded = decodeLetters(run)
  return Array.from(
    decoded.split(''),
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ).join('')
}

const mostEscapes = 10_000

/**
 * Walks text that `JSON.parse` has accepted and reports each member with its offset, without
 * building values. `JSON.parse` keeps neither positions nor duplicate keys. The walk is iterative,
 * so that depth costs no stack. It ends with the value that begins, or whose key begins, at
 * `start`. Members more than `deepest` levels down are skipped.
 */
export function scanJson(text: string, visit: Visit, { start = 0, deepest = Infinity } = {}): void {
  const stack: Frame[] = []
  let wantsKey = false
  for (let at = start; at < text.length; at++) {
    const character = text.charCodeAt(at)
    const frame = stack.at(-1)
    switch (character) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case 0x3a: // :
        continue
      case 0x2c: // ,
        if (frame === undefined) return
        frame.index++
        wantsKey = frame.keys !== undefined
        continue
      case 0x7d: // }
      case 0x5d: // ]
        stack.pop()
        if (stack.length === 0) return
        wantsKey = false
        continue
      default:
    }
    if (frame !== undefined && frame.keys === undefined)
      visit(String(frame.index), stack.length, at, false)
    if (character === 0x22) {
      const end = findStringEnd(text, at)
      if (wantsKey && frame?.keys !== undefined) {
        const key = parseKey(text.slice(at, end + 1))
        visit(key, stack.length, at, frame.keys.has(key))
        frame.keys.add(key)
        wantsKey = false
      }
      at = end
    } else if ((character === 0x7b || character === 0x5b) && stack.length >= deepest) {
      at = findContainerEnd(text, at)
      wantsKey = false
    } else if (character === 0x7b) {
      stack.push({ keys: new Set(), index: 0 })
      wantsKey = true
    } else if (character === 0x5b) {
      stack.push({ keys: undefined, index: 0 })
      wantsKey = false
    } else {
      while (at + 1 < text.length && !/[\s,\]}]/.test(text.charAt(at + 1))) at++
    }
  }
}

/** Counts the members of all objects, including duplicates. */
export function countMembers(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start !== -1;) {
    let after = findStringEnd(text, start) + 1
    while (isSpace(text.charCodeAt(after))) after++
    if (text.charCodeAt(after) === 0x3a) count++
    start = text.indexOf('"', after)
  }
  return count
}

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09
}

/**
 * Finds the offset of a value: that of the deepest segment of its pointer that exists. The first
 * call scans the whole text and indexes the members near the top; later calls scan only one of
 * those.
 */
export function createOffsetFinder(text: string): (segments: readonly string[]) => number {
  let tops: Map<string, number> | undefined
  return (segments) => {
    tops ??= scanTop(text)
    for (let known = Math.min(segments.length, nearTop); known > 0; known--) {
      const offset = tops.get(toPathKey(segments.slice(0, known)))
      if (offset !== undefined)
        return known < nearTop ? offset : findOffsetBelow(text, segments.slice(known), offset)
    }
    return 0
  }
}

const nearTop = 3

function scanTop(text: string): Map<string, number> {
  const tops = new Map<string, number>()
  const path: string[] = []
  const visit: Visit = (segment, depth, offset) => {
    path.length = depth - 1
    path.push(segment)
    tops.set(toPathKey(path), offset)
  }
  scanJson(text, visit, { deepest: nearTop })
  return tops
}

function toPathKey(segments: readonly string[]): string {
  return JSON.stringify(segments)
}

/** The same within one value that begins (or whose key begins) at an offset. */
function findOffsetBelow(text: string, segments: readonly string[], start: number): number {
  let matched = 0
  let offset = start
  scanJson(
    text,
    (segment, depth, at) => {
      if (depth === matched + 1 && segments[matched] === segment) {
        matched = depth
        offset = at
      } else if (depth <= matched) {
        matched = Number.POSITIVE_INFINITY
      }
    },
    { start },
  )
  return offset
}

function findStringEnd(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end !== -1 && isEscaped(text, end))
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}

/** Where the object or list that begins at `start` ends. The regular expression finds what matters. */
function findContainerEnd(text: string, start: number): number {
  const mark = /["{}[\]]/g
  mark.lastIndex = start
  let depth = 0
  while (mark.test(text)) {
    const at = mark.lastIndex - 1
    const character = text.charCodeAt(at)
    if (character === 0x22) mark.lastIndex = findStringEnd(text, at) + 1
    else if (character === 0x7b || character === 0x5b) depth++
    else if (--depth === 0) return at
  }
  return text.length
}

function parseKey(letters: string): string {
  const quoted = decodeLetters(letters)
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}
