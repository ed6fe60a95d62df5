import type { Operation, Parameter } from '@farebox/types/operations'
import type * as z from 'zod'
import { collectFaults } from './faults.js'
import { fieldFault, invalidInput, refusal, tooLarge } from './http-error.js'
import { readBytes } from './read-bytes.js'
import { readMultipart } from './read-multipart.js'

export type Validators = {
  readonly path?: z.ZodType
  readonly query?: z.ZodType
  readonly headers?: z.ZodType
  readonly body?: Readonly<Record<string, z.ZodType>>
}

/** Fields of path, query and body together, as the client's flat input has them. Files are bytes. */
export type Input = Readonly<Record<string, unknown>>

/** The largest JSON body, in bytes, where the contract has an answer to a larger one: video requests carry pictures as data URLs. */
const maxLargeBytes = 64 * 1024 * 1024
/** And where it has none. */
const maxJsonBytes = 1024 * 1024

/**
 * Reads and validates what an operation is given, with the table's defaults, and which fields were there. Every fault of path, query and headers is in the
 * one answer, before the body is read; every fault of the body in another.
 */
export async function readInput(
  request: Request,
  operation: Operation,
  validators: Validators,
  path: Readonly<Record<string, string>>,
): Promise<{ readonly input: Input; readonly given: ReadonlySet<string> }> {
  const parameters = readParameters(request, operation, validators, path)
  const body = await readBody(request, operation)
  const schema = validators.body?.[operation.body?.contentType ?? '']
  const faults = collectFaults()
  if (schema && operation.body?.required !== undefined) faults.judge(schema, body, [])
  faults.raise()
  const fields = { ...(isRecord(body) && body), ...parameters }
  return { input: { ...operation.defaults, ...fields }, given: new Set(Object.keys(fields)) }
}

function readParameters(request: Request, operation: Operation, validators: Validators, path: Readonly<Record<string, string>>): Input {
  const query = new URL(request.url).searchParams
  for (const { name } of operation.parameters.filter((parameter) => parameter.in === 'query')) {
    if (query.getAll(name).length > 1) throw fieldFault(name, 'Given more than once.')
  }
  const parts = {
    path: typedValues(operation, 'path', (name) => path[name]),
    query: typedValues(operation, 'query', (name) => query.get(name) ?? undefined),
    headers: typedValues(operation, 'header', (name) => request.headers.get(name) ?? undefined),
  }
  const faults = collectFaults()
  for (const part of ['path', 'query', 'headers'] as const) {
    const schema = validators[part]
    if (schema) faults.judge(schema, parts[part], [])
  }
  faults.raise()
  return { ...parts.path, ...parts.query }
}

/** The texts of parameters as the values that they stand for; what does not read as its type stays text, for the validator to refuse. */
function typedValues(operation: Operation, place: Parameter['in'], read: (name: string) => string | undefined): Input {
  const found = operation.parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, type }) => [place === 'header' ? name.toLowerCase() : name, valueOf(read(name), type)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function valueOf(text: string | undefined, type: Parameter['type']): unknown {
  if (text === undefined || type === 'string') return text
  if (text === 'null' || text === '') return null
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'integer' || type === 'number') return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text
  return text
}

async function readBody(request: Request, operation: Operation): Promise<unknown> {
  if (!operation.body) return undefined
  const { contentType } = operation.body
  const found = request.headers.get('content-type') ?? ''
  if (mediaType(found) !== contentType) throw wrongContentType(operation, found)
  return contentType === 'multipart/form-data' ? readMultipart(request, operation) : readJson(request, operation)
}

async function readJson(request: Request, operation: Operation): Promise<unknown> {
  const declared = '413' in operation.responses
  const most = declared ? maxLargeBytes : maxJsonBytes
  const message = `The body is larger than ${most} bytes.`
  const bytes = await readBytes(request, most, () => (declared ? tooLarge(message) : invalidInput(message, { _errors: [message] })))
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw invalidInput('The body is not valid JSON.', { _errors: [`Expected JSON in UTF-8; these ${bytes.length} bytes are not.`] })
  }
  if (isDeep(value)) throw invalidInput('The body is nested too deep.', { _errors: [`Expected at most ${maxDepth} levels.`] })
  return value
}

/** Whatever reads a value after this may be recursive. */
const maxDepth = 64

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= maxDepth; depth++) {
    const next: unknown[] = []
    for (const item of level) {
      if (Array.isArray(item)) for (const one of item) addNested(one, next)
      else if (isRecord(item)) for (const name of Object.keys(item)) addNested(item[name], next)
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}

function addNested(value: unknown, to: unknown[]): void {
  if (typeof value === 'object' && value !== null) to.push(value)
}

/** 415 where the contract of the operation has it, else 400. */
function wrongContentType(operation: Operation, found: string): Error {
  const expected = operation.body?.contentType ?? ''
  const message = `The content type must be ${expected}; this request has ${found === '' ? 'none' : `"${mediaType(found).slice(0, 100)}"`}.`
  return '415' in operation.responses ? refusal(415, message, 'INVALID_CONTENT_TYPE') : invalidInput(message, { _errors: [message] })
}

function mediaType(header: string): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase()
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
