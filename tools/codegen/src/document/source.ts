import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import type { Document as YamlDocument } from 'yaml'
import { show } from '../diagnostics.js'
import type { Place, Report } from '../diagnostics.js'
import { countMembers, offsetsIn, scanJson } from './json-scan.js'
import { measure, segmentsOf, tooDeep } from './json.js'
import type { Json } from './json.js'

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
export function parseSource(location: string, name: string, text: string, report: Report): Source | undefined {
  try {
    const data = mayBeJson(location, text) ? asJson(text) : undefined
    const source = data === undefined ? parseYaml(location, name, text, report) : jsonSource(location, name, text, data, report)
    if (source === undefined || measure(source.data).depth <= deepest) return source
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

function mayBeJson(location: string, text: string): boolean {
  return location.toLowerCase().endsWith('.json') || /^\s*\{/.test(text.slice(0, 200))
}

/** Nothing when the text is no JSON: then the YAML parser says where, since every JSON text is YAML. */
function asJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function jsonSource(location: string, name: string, text: string, data: Json, report: Report): Source | undefined {
  let faults = 0
  const positionOf = positionsIn(text)
  // JSON.parse keeps one of two members with the same name. Which they are is looked up only when the count says that there are any.
  const repeats = countMembers(text) !== measure(data).members
  if (repeats)
    scanJson(text, (segment, _depth, offset, twice) => {
      if (!twice) return
      faults++
      report('FB1003', { file: name, pointer: '', ...positionOf(offset) }, show(segment), 'each key once')
    })
  if (faults > 0) return undefined
  const offsetOf = offsetsIn(text)
  const find = remembered((segments) => positionOf(offsetOf(segments)))
  return { location, name, data, place: (pointer) => lazyPlace(name, pointer, find) }
}

function parseYaml(location: string, name: string, text: string, report: Report): Source | undefined {
  const { document, lines } = read(text)
  const json = location.toLowerCase().endsWith('.json')
  if (document.errors.length > 0 || json) {
    for (const fault of document.errors) {
      const { line, col } = lines.linePos(fault.pos[0])
      const place = { file: name, line, column: col, pointer: '' }
      if (fault.code === 'RESOURCE_EXHAUSTION') throw new RangeError(fault.message)
      if (fault.code === 'DUPLICATE_KEY') report('FB1003', place, show(lineAt(text, line).trim()), 'each key once')
      else report('FB1002', place, show(lineAt(text, line).trim()), sentence(fault.message))
    }
    if (document.errors.length === 0)
      report('FB1002', { file: name, line: 1, column: 1, pointer: '' }, 'text that is YAML and no JSON', 'JSON, since the file says so')
    return undefined
  }
  let data: Json
  try {
    data = (document.toJS({ maxAliasCount: 10_000 }) ?? null) as Json
  } catch (error) {
    if (error instanceof RangeError) throw error
    report(
      'FB1002',
      { file: name, line: 1, column: 1, pointer: '' },
      error instanceof Error ? error.message : 'an alias',
      'aliases that resolve, and not too many of them',
    )
    return undefined
  }
  let again: ReturnType<typeof read> | undefined
  const find = remembered((segments) => {
    again ??= read(text)
    const { line, col } = again.lines.linePos(offsetOf(again.document, segments))
    return { line, column: col }
  })
  return { location, name, data, place: (pointer) => lazyPlace(name, pointer, find) }
}

function read(text: string): { readonly document: YamlDocument.Parsed; readonly lines: LineCounter } {
  const lines = new LineCounter()
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true }), lines }
}

/** The offset of the last key on the way that can be found. */
function offsetOf(document: YamlDocument.Parsed, segments: readonly string[]): number {
  let node: unknown = document.contents
  let offset = document.contents?.range[0] ?? 0
  for (const segment of segments) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment)
      if (pair === undefined) return offset
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(segment)]
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset
    } else {
      return offset
    }
  }
  return offset
}

type Position = { readonly line: number; readonly column: number }

/** Every schema has a place, and hardly any is asked for its line: that costs a walk through the file. */
function lazyPlace(file: string, pointer: string, find: (pointer: string) => Position): Place {
  return {
    file,
    pointer,
    get line() {
      return find(pointer).line
    },
    get column() {
      return find(pointer).column
    },
  }
}

/** Finds each position once. */
function remembered(find: (segments: readonly string[]) => Position): (pointer: string) => Position {
  const known = new Map<string, Position>()
  return (pointer) => {
    const position = known.get(pointer) ?? find(segmentsOf(pointer))
    known.set(pointer, position)
    return position
  }
}

/** Where the lines of a text begin is found out with the first question. */
function positionsIn(text: string): (offset: number) => Position {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= lineStarts(text)
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lineAt(text: string, line: number): string {
  return text.split('\n', line)[line - 1] ?? ''
}

function sentence(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
