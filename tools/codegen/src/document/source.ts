import { show } from '../diagnostics.js'
import type { Place, Report } from '../diagnostics.js'
import { countMembers, lettersOf, offsetsIn, saidBy, scanJson } from './json-scan.js'
import { measure, segmentsOf, tooDeep } from './json.js'
import type { Json } from './json.js'
import type { Locate, Position } from './position.js'

/** A file of a document, parsed. Its positions are found only when somebody asks. */
export type Source = {
  /** An absolute path or a URL: what relative references start from. */
  readonly location: string
  /** What people read: relative to the working directory, with forward slashes. */
  readonly name: string
  readonly data: Json
  readonly place: (pointer: string) => Place
}

/** Parses a file. A syntax error and each repeated key is reported; then there is no source. */
export async function parseSource(location: string, name: string, file: Uint8Array, report: Report): Promise<Source | undefined> {
  const bytes = withoutMark(file)
  try {
    const json = mayBeJson(location, bytes) ? asJson(bytes) : undefined
    const size = json === undefined ? undefined : measure(json)
    if (size !== undefined && reportRepeats(name, bytes, size.members, report)) return undefined
    // Loaded late: it takes a tenth of a second, and most documents of a size that matters are JSON.
    const yaml = json === undefined ? await import('./yaml.js') : undefined
    const data = yaml === undefined ? json : yaml.parseYaml(location, name, decode(bytes), report)
    if (data === undefined) return undefined
    const source = { location, name, data, place: placeIn(name, bytes, yaml?.locateInYaml ?? locateInJson) }
    if ((size ?? measure(data)).depth <= deepest) return source
    const deep = tooDeep(source.data, deepest) ?? ''
    report('FB1007', source.place(deep), `more than ${deepest} levels`, 'a document of reasonable depth')
    return undefined
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    report('FB1007', { file: name, line: 1, column: 1, pointer: '' }, 'more levels than can be read', 'a document of reasonable depth')
    return undefined
  }
}

/** No document that a person or a program writes comes near; whatever reads the values after us may be recursive. */
const deepest = 1000

/** The bytes without the byte order mark that they may begin with. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function mayBeJson(location: string, bytes: Uint8Array): boolean {
  return location.toLowerCase().endsWith('.json') || /^\s*\{/.test(decode(bytes.subarray(0, 200)))
}

/** Nothing when the text is no JSON: then the YAML parser says where, since every JSON text is YAML. */
function asJson(bytes: Uint8Array): Json | undefined {
  try {
    return JSON.parse(decode(bytes)) as Json
  } catch {
    return undefined
  }
}

/**
 * Reports each member whose name another of the same object has, and says whether there are any. JSON.parse keeps one of them; which they
 * are is looked up only when their number says that some are missing.
 */
function reportRepeats(name: string, bytes: Uint8Array, members: number, report: Report): boolean {
  const letters = lettersOf(bytes)
  if (countMembers(letters) === members) return false
  const positionOf = positionsIn(letters)
  let found = false
  scanJson(letters, (segment, _depth, offset, twice) => {
    if (!twice) return
    found = true
    report('FB1003', { file: name, pointer: '', ...positionOf(offset) }, show(segment), 'each key once')
  })
  return found
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

const locateInJson: Locate = (bytes) => {
  const letters = lettersOf(bytes)
  const [positionOf, offsetOf] = [positionsIn(letters), offsetsIn(letters)]
  return (segments) => positionOf(offsetOf(segments))
}

/** Every schema has a place, and hardly any is asked for its line: that costs a walk through the file. Each position is found once. */
function placeIn(file: string, bytes: Uint8Array, locate: Locate): (pointer: string) => Place {
  const known = new Map<string, Position>()
  let asked: WeakRef<ReturnType<Locate>> | undefined
  const find = (pointer: string): Position => {
    const position = known.get(pointer)
    if (position !== undefined) return position
    // Questions come in crowds; between them, what answers them may be collected.
    let answer = asked?.deref()
    if (answer === undefined) asked = new WeakRef((answer = locate(bytes)))
    const found = answer(segmentsOf(pointer))
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
  })
}

/** Where the lines of a text begin is found out with the first question. */
function positionsIn(letters: string): (offset: number) => Position {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= lineStarts(letters)
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: saidBy(letters.slice(starts[low], offset)).length + 1 }
  }
}

function lineStarts(letters: string): number[] {
  const starts = [0]
  for (let at = letters.indexOf('\n'); at !== -1; at = letters.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
