import { nearest } from '@farebox/command-line'
import * as z from 'zod'
import { isRecord } from '../is-record.js'

/** An object that refuses other fields. `otherwise` is the fault of a value that is no object. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape, otherwise?: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      unknownField(issue, Object.keys(shape)) ??
      (issue.code === 'invalid_type' ? otherwise : undefined),
  })
}

type Issue = z.core.$ZodIssue
type Sentence = { readonly path: readonly PropertyKey[]; readonly message: string }

/** What an issue of zod says: what was found, what was expected. */
export function describeIssue(issue: Issue, root: unknown): Sentence {
  const { path } = issue
  const found = valueAt(root, path)
  // a field that is not known is where its name stands
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0] ?? ''], message: issue.message }
  return { path, message: describeExpected(issue, found) }
}

/** For the option `error` of an object whose fields have these names. */
function unknownField(
  issue: { readonly code: string; readonly keys?: unknown },
  known: readonly string[],
): string | undefined {
  if (issue.code !== 'unrecognized_keys' || !Array.isArray(issue.keys)) return undefined
  return issue.keys
    .map((key) => `found the unknown field ${JSON.stringify(key)}. ${meant(String(key), known)}`)
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
  if (issue.code === 'invalid_value') return listed(found, issue.values.map(String))
  if (issue.code === 'invalid_union')
    return listed(
      found,
      'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [],
    )
  return issue.message
}

function listed(found: unknown, known: readonly string[]): string {
  if (typeof found !== 'string')
    return `found ${describeValue(found)}, expected one of ${known.join(', ')}.`
  return `found ${JSON.stringify(found.slice(0, 60))}. ${meant(found, known)}`
}

function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined
    ? `Expected one of ${known.join(', ')}.`
    : `Did you mean ${JSON.stringify(near)}?`
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Without the content of a text. */
function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return nouns[Array.isArray(value) ? 'array' : typeof value] ?? typeof value
}

function describeAmount(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`
  return Array.isArray(value) ? `${value.length} items` : describeValue(value)
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const name of path) {
    if (Array.isArray(value)) value = value[Number(name)]
    else if (isRecord(value)) value = Object.hasOwn(value, name) ? value[String(name)] : undefined
    else return undefined
  }
  return value
}
