import { UsageError, nearest } from '@farebox/command-line'
import { LineCounter, isMap, isScalar, isSeq, parseDocument, type Document } from 'yaml'
import * as z from 'zod'
import { isRecord } from '../unknown-value.js'

/** One fault of a configuration file. */
export type ConfigFault = {
  /** From 1. Without it, the file as a whole is at fault. */
  readonly line?: number
  /** A JSON pointer (RFC 6901). Empty for the whole file. */
  readonly pointer: string
  /** What was found and what was expected, as one sentence without secrets. */
  readonly message: string
}

/** A configuration file that cannot be used. The message has a line for each fault. */
export class ConfigError extends UsageError {
  readonly file: string
  readonly faults: readonly ConfigFault[]

  constructor(file: string, faults: readonly ConfigFault[]) {
    super(
      faults
        .map(
          ({ line, pointer, message }) =>
            `${file}:${line === undefined ? '' : `${line}:`}${pointer === '' ? '' : ` ${pointer}:`} ${message}`,
        )
        .join('\n'),
    )
    this.file = file
    this.faults = faults
  }
}

type Path = readonly PropertyKey[]

/** A valid configuration. */
type Config<Value> = {
  readonly value: Value
  /** A fault of a value, for what the schema cannot check. */
  readonly faultAt: (path: Path, message: string) => ConfigFault
}

/**
 * Reads a configuration in JSON or YAML, and checks it against its schema. Throws a ConfigError
 * with every fault, each with its line. Messages do not repeat values of the file, which may be
 * secrets, except names of fields and values of a fixed list.
 */
export function readConfig<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): Config<z.output<Schema>> {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos: [at], message }) => ({
      line: lines.linePos(at).line,
      pointer: '',
      message: `${message}.`,
    }))
    throw new ConfigError(file, faults.map(removeQuotes))
  }
  const value = readValue(document, file)
  const checked = schema.safeParse(value)
  const faultAt: Config<unknown>['faultAt'] = (path, message) => ({
    line: lines.linePos(findOffset(document, path)).line,
    pointer: path.map(toPointerSegment).join(''),
    message,
  })
  if (checked.success) return { value: checked.data, faultAt }
  const faults = checked.error.issues.map((issue) => {
    const { path, message } = describeIssue(issue, value)
    return faultAt(path, message)
  })
  throw new ConfigError(
    file,
    faults.toSorted(({ line: one = 0 }, { line: other = 0 }) => one - other),
  )
}

/** Rejects aliases, since a few of them can expand to a huge value. */
function readValue(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch {
    throw new ConfigError(file, [
      { pointer: '', message: 'found an alias (*name), expected each value in its place.' },
    ])
  }
}

/** A message of the parser may quote the text of the file. */
function removeQuotes({ message, ...fault }: ConfigFault): ConfigFault {
  return {
    ...fault,
    message: `found no valid YAML or JSON: ${message.split('\n', 1)[0]?.replaceAll(/"[^"]*"|'[^']*'/g, '…') ?? ''}`,
  }
}

function toPointerSegment(name: PropertyKey): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The offset of the value, or of the deepest part of its path that exists. */
function findOffset({ contents }: Document.Parsed, path: Path): number {
  let node: unknown = contents
  let offset = contents?.range[0] ?? 0
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))
      if (pair === undefined) return offset
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(name)]
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset
    } else {
      return offset
    }
  }
  return offset
}

/** An object without other fields. `otherwise` is the message for a value that is not an object. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape, otherwise?: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      describeUnknownField(issue, Object.keys(shape)) ??
      (issue.code === 'invalid_type' ? otherwise : undefined),
  })
}

type Issue = z.core.$ZodIssue
type Sentence = { readonly path: readonly PropertyKey[]; readonly message: string }

/** What an issue of zod says: what was found, what was expected. */
export function describeIssue(issue: Issue, root: unknown): Sentence {
  const { path } = issue
  const value = findValue(root, path)
  // the place of an unknown field is its name
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0] ?? ''], message: issue.message }
  return { path, message: describeExpected(issue, value) }
}

/** For the option `error` of an object whose fields have these names. */
function describeUnknownField(
  issue: { readonly code: string; readonly keys?: unknown },
  known: readonly string[],
): string | undefined {
  if (issue.code !== 'unrecognized_keys' || !Array.isArray(issue.keys)) return undefined
  return issue.keys
    .map(
      (key) => `found the unknown field ${JSON.stringify(key)}. ${suggestName(String(key), known)}`,
    )
    .join(' ')
}

function describeExpected(issue: Issue, found: unknown): string {
  // a schema has a sentence of its own for some faults
  if (issue.message.startsWith('found ')) return issue.message
  if (issue.code === 'invalid_type')
    return `found ${describeValue(found)}, expected ${nouns[issue.expected] ?? issue.expected}.`
  if (issue.code === 'too_small')
    return `found ${describeAmount(found)}, expected at least ${issue.minimum}.`
  if (issue.code === 'too_big')
    return `found ${describeAmount(found)}, expected at most ${issue.maximum}.`
  if (issue.code === 'invalid_value') return describeWrongChoice(found, issue.values.map(String))
  if (issue.code === 'invalid_union')
    return describeWrongChoice(
      found,
      'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [],
    )
  return issue.message
}

function describeWrongChoice(found: unknown, known: readonly string[]): string {
  if (typeof found !== 'string')
    return `found ${describeValue(found)}, expected one of ${known.join(', ')}.`
  return `found ${JSON.stringify(found.slice(0, 60))}. ${suggestName(found, known)}`
}

function suggestName(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined
    ? `Expected one of ${known.join(', ')}.`
    : `Did you mean ${JSON.stringify(near)}?`
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

/** Without the content of strings. */
function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return nouns[Array.isArray(value) ? 'array' : typeof value] ?? typeof value
}

function describeAmount(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`
  return Array.isArray(value) ? `${value.length} items` : describeValue(value)
}

function findValue(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const name of path) {
    if (Array.isArray(value)) value = value[Number(name)]
    else if (isRecord(value)) value = Object.hasOwn(value, name) ? value[String(name)] : undefined
    else return undefined
  }
  return value
}
