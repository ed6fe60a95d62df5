import { isAscii, isUtf8 } from 'node:buffer'
import { type Place, type Report, show } from '../diagnostics.js'
import {
  countMembers,
  toLetters,
  createOffsetFinder,
  escapeLetters,
  decodeLetters,
  scanJson,
} from './json-scan.js'
import { reportJsonFault } from './json-fault.js'
import { findTooDeep, type Json, measure, parsePointer } from './json.js'
import { cutExcerpt, type Locate, type Position } from './excerpt.js'

/** A parsed file of a document. Positions are computed on demand. */
export type Source = {
  /** An absolute path or a URL: the base of relative references. */
  readonly location: string
  /** The name in messages: relative to the working directory, with forward slashes. */
  readonly name: string
  readonly data: Json
  /** References in it, which may name other files. */
  readonly references: ReadonlySet<string>
  readonly place: (pointer: string) => Place
}

/** Parses a file. Returns undefined after reporting a syntax error or repeated keys. */
export async function parseSource(
  location: string,
  name: string,
  file: Uint8Array,
  report: Report,
): Promise<Source | undefined> {
  const bytes = stripMark(file)
  const ascii = isAscii(bytes)
  if (!ascii && !isUtf8(bytes)) reportBytes(name, bytes, report)
  try {
    const letters = mayBeJson(location, bytes) ? toLetters(bytes) : undefined
    const json =
      letters && tryParseJson(ascii ? letters : (escapeLetters(letters) ?? decode(bytes)))
    const size = json === undefined ? undefined : measure(json, deepest)
    if (
      letters !== undefined &&
      size !== undefined &&
      reportRepeats(name, letters, size.members, report)
    )
      return undefined
    if (json === undefined && isNamedJson(location) && reportJsonFault(name, decode(bytes), report))
      return undefined
    // loading the YAML parser takes 0.1 s, and most large documents are JSON
    const yaml = json === undefined ? await import('./yaml.js') : undefined
    const data = yaml === undefined ? json : yaml.parseYaml(name, decode(bytes), report)
    if (data === undefined) return undefined
    const { depth, references } = size ?? measure(data, deepest)
    const source = {
      location,
      name,
      data,
      references,
      place: createPlaceFinder(name, bytes, yaml?.locateInYaml ?? locateInJson),
    }
    if (depth <= deepest) return source
    const deep = findTooDeep(source.data, deepest) ?? ''
    report(
      'FB1007',
      source.place(deep),
      `more than ${deepest} levels`,
      'a document of reasonable depth',
    )
    return undefined
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    report(
      'FB1007',
      { file: name, line: 1, column: 1, pointer: '' },
      'more levels than can be read',
      'a document of reasonable depth',
    )
    return undefined
  }
}

/** Real documents stay far below it. Later readers of the values may be recursive. */
const deepest = 1000

/** Reports the first line with bytes that are not UTF-8. */
function reportBytes(name: string, bytes: Uint8Array, report: Report): void {
  let [line, start] = [1, 0]
  for (; isUtf8(sliceLine(bytes, start)); line++) start = bytes.indexOf(newline, start) + 1
  const text = decode(sliceLine(bytes, start))
  const at = text.indexOf('\ufffd')
  const excerpt = cutExcerpt(text, at)
  const place = { file: name, line, column: at + 1, pointer: '', excerpt }
  report('FB1011', place, show(excerpt.text.trim()), 'text in UTF-8 (RFC 8259, section 8.1)')
}

/** Removes a leading byte order mark. */
function stripMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function isNamedJson(location: string): boolean {
  return location.toLowerCase().endsWith('.json')
}

function mayBeJson(location: string, bytes: Uint8Array): boolean {
  return isNamedJson(location) || /^\s*\{/.test(decode(bytes.subarray(0, 200)))
}

/** Undefined if the text is not JSON. Another parser then finds the place. */
function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/**
 * Reports repeated member names of objects, and returns whether there are any. JSON.parse keeps one
 * of them, so the text is scanned only when it has more members than the parsed value.
 */
function reportRepeats(name: string, letters: string, members: number, report: Report): boolean {
  if (countMembers(letters) === members) return false
  const findPosition = createPositionFinder(letters)
  let found = false
  scanJson(letters, (segment, _depth, offset, twice) => {
    if (!twice) return
    found = true
    report(
      'FB1003',
      { file: name, pointer: '', ...findPosition(offset) },
      show(segment),
      'each key once',
    )
  })
  return found
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

const locateInJson: Locate = (bytes) => {
  const letters = toLetters(bytes)
  const [findPosition, findOffset] = [createPositionFinder(letters), createOffsetFinder(letters)]
  return (segments) => findPosition(findOffset(segments))
}

/**
 * Lines and columns are getters: few places are printed, and each needs a walk through the file.
 */
function createPlaceFinder(
  file: string,
  bytes: Uint8Array,
  locate: Locate,
): (pointer: string) => Place {
  const known = new Map<string, Position>()
  let cachedLocator: WeakRef<ReturnType<Locate>> | undefined
  const find = (pointer: string): Position => {
    const position = known.get(pointer)
    if (position !== undefined) return position
    // Requests come in bursts. Between bursts the garbage collector may drop the index.
    let locator = cachedLocator?.deref()
    if (locator === undefined) cachedLocator = new WeakRef((locator = locate(bytes)))
    const found = locator(parsePointer(pointer))
    known.set(pointer, found)
    return found
  }
  return (pointer) => ({
    file,
    pointer,
    get line() {
      return find(pointer).line
    },
    get column() {
      return find(pointer).column
    },
    get excerpt() {
      return find(pointer).excerpt
    },
  })
}

function sliceLine(bytes: Uint8Array, start: number): Uint8Array {
  const end = bytes.indexOf(newline, start)
  return bytes.subarray(start, end === -1 ? undefined : end)
}

const newline = 0x0a

/** Lines and columns are counted once, on first use. */
function createPositionFinder(letters: string): (offset: number) => Position {
  let counted:
    | { readonly starts: readonly number[]; readonly unitsBefore: (offset: number) => number }
    | undefined
  return (offset) => {
    const { starts, unitsBefore } = (counted ??= {
      starts: findLineStarts(letters),
      unitsBefore: createUnitCounter(letters),
    })
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    const column = unitsBefore(offset) - unitsBefore(starts[low] ?? 0) + 1
    return { line: low + 1, column, excerpt: cutExcerpt(letters, offset, decodeLetters) }
  }
}

function findLineStarts(letters: string): number[] {
  const starts = [0]
  for (let at = letters.indexOf('\n'); at !== -1; at = letters.indexOf('\n', at + 1))
    starts.push(at + 1)
  return starts
}

/** Counts the UTF-16 units before an offset: fewer than its bytes by what the runs before it lose. */
function createUnitCounter(letters: string): (offset: number) => number {
  const [ends, losses]: [number[], number[]] = [[], []]
  let lost = 0
  for (const { 0: run, index } of letters.matchAll(/[\x80-\xff]+/g)) {
    lost += run.length - decodeLetters(run).length
    ends.push(index + run.length)
    losses.push(lost)
  }
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (high > low) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return offset - (losses[low - 1] ?? 0)
  }
}
