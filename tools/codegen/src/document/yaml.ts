import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document as YamlDocument,
} from 'yaml'
import { type Report, show } from '../diagnostics.js'
import { cutExcerpt, type Locate } from './excerpt.js'
import { isList, isObject, type Json, pointerTo } from './json.js'

/** Parses YAML. Returns undefined after reporting errors. */
export function parseYaml(name: string, text: string, report: Report): Json | undefined {
  const { document, lines } = parse(text)
  if (document.errors.length > 0) {
    for (const fault of document.errors) {
      const { line, col } = lines.linePos(fault.pos[0])
      const excerpt = cutExcerpt(text, fault.pos[0])
      const place = { file: name, line, column: col, pointer: '', excerpt }
      const found = show(excerpt.text.trim())
      if (fault.code === 'RESOURCE_EXHAUSTION') throw new RangeError(fault.message)
      if (fault.code === 'DUPLICATE_KEY') report('FB1003', place, found, 'each key once')
      else
        report(
          'FB1002',
          place,
          found,
          fault.code === 'NON_STRING_KEY' ? 'a string key' : takeFirstLine(fault.message),
        )
    }
    return undefined
  }
  const rejectAlias = (found: string, segments: readonly string[] = []): undefined => {
    const offset = findOffset(document, segments)
    const { line, col } = lines.linePos(offset)
    const place = {
      file: name,
      line,
      column: col,
      pointer: pointerTo('', ...segments),
      excerpt: cutExcerpt(text, offset),
    }
    report('FB1002', place, found, 'aliases that resolve, form no circle, and are not too many')
  }
  try {
    const data = (document.toJS({ maxAliasCount: 10_000 }) ?? null) as Json
    const { size, circle } = measureExpanded(data)
    if (circle !== undefined) return rejectAlias('an alias within its own anchor', circle)
    return size > text.length + maxCopied ? rejectAlias(`aliases that repeat ${size} values`) : data
  } catch (error) {
    if (error instanceof RangeError) throw error
    return rejectAlias(error instanceof Error ? error.message : 'an alias')
  }
}

/** Limit of values that aliases may add: every later step reads each of them. */
const maxCopied = 1_000_000

/** The number of values with aliases expanded, or the path to an alias within its own anchor. */
function measureExpanded(data: Json): {
  readonly size: number
  readonly circle?: readonly string[]
} {
  const sizes = new Map<Json, number>()
  const way: string[] = []
  let circle: readonly string[] | undefined
  const countValues = (value: Json): number => {
    if (!isList(value) && !isObject(value)) return 1
    const known = sizes.get(value)
    if (known === Infinity) circle ??= [...way]
    if (known !== undefined) return known
    sizes.set(value, Infinity)
    let size = 1
    for (const [key, inner] of Object.entries(value)) {
      way.push(key)
      size += countValues(inner)
      way.pop()
    }
    sizes.set(value, size)
    return size
  }
  const size = countValues(data)
  return { size, ...(circle && { circle }) }
}

export const locateInYaml: Locate = (bytes) => {
  const text = new TextDecoder().decode(bytes)
  const { document, lines } = parse(text)
  return (segments) => {
    const offset = findOffset(document, segments)
    const { line, col } = lines.linePos(offset)
    return { line, column: col, excerpt: cutExcerpt(text, offset) }
  }
}

function parse(text: string): {
  readonly document: YamlDocument.Parsed
  readonly lines: LineCounter
} {
  const lines = new LineCounter()
  return {
    document: parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      stringKeys: true,
    }),
    lines,
  }
}

/** The offset of a value, or of the deepest existing key on the path to it. */
function findOffset(document: YamlDocument.Parsed, segments: readonly string[]): number {
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

function takeFirstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
