import type { Operation } from '@farebox/types/operations'
import {
  invalidInput,
  tooLarge,
  clientGone,
  failure,
  invalidField,
  type Failure,
} from '../contract/failures.js'
import { HttpError } from './reply.js'
import { Busboy } from '@fastify/busboy'
import { finished } from 'node:stream/promises'
import type * as z from 'zod'
import { joinBytes } from '../platform/bounded-body.js'
import { sleep } from '../platform/time.js'

/** For operations that declare 413. Video requests contain pictures and videos as data URLs. */
const largeJson = 64 * 1024 * 1024
/** For other operations, whose longest texts have some kilobytes. */
const smallJson = 1024 * 1024
/** The largest file without a figure in the contract. */
const defaultFile = 25 * 1024 * 1024
/** Is read at once, and not counted: 64 MiB for all 4,096 connections together. */
export const smallBody = 16 * 1024
/** For boundaries, part headers and fields of a form. */
const formOverhead = 256 * 1024

/**
 * The largest size in bytes of a file of a form. `''` for a file that the contract does not name.
 */
function findFileLimit({ maxFileBytes = {} }: Operation, name: string): number {
  return (
    (Object.hasOwn(maxFileBytes, name) ? maxFileBytes[name] : undefined) ??
    Math.max(defaultFile, ...Object.values(maxFileBytes))
  )
}

/**
 * Called with the size of each chunk before it is kept. Throws if the memory budget is exhausted.
 */
export type TakeBytes = (bytes: number) => void

/**
 * The chunks of a body up to the limit of its operation: `x-max-file-bytes` for a form, and for
 * JSON `x-max-body-bytes`, or else a limit that depends on whether the operation declares 413. A
 * body whose Content-Length exceeds the limit is rejected without being read.
 */
export async function* readLimitedBody(
  request: Request,
  operation: Operation,
  take: TakeBytes,
): AsyncGenerator<Uint8Array> {
  const { body, responses, maxBodyBytes, maxFileBytes = {} } = operation
  let limit = maxBodyBytes ?? ('413' in responses ? largeJson : smallJson)
  if (body?.contentType === 'multipart/form-data') {
    let files = 0
    for (const bytes of Object.values(maxFileBytes)) files += bytes
    limit = formOverhead + (files || defaultFile)
  }
  const contentLength = request.headers.get('content-length')
  if (Number(contentLength) > limit) throw bodyTooLarge(operation, limit)
  const rejectGone = () => {
    throw new HttpError(clientGone())
  }
  // a body that is read at once needs no stream, which costs more than the rest of the reading
  if (contentLength !== null && Number(contentLength) <= smallBody) {
    const bytes = new Uint8Array(await request.arrayBuffer().catch(rejectGone))
    if (bytes.byteLength > limit) throw bodyTooLarge(operation, limit)
    take(bytes.byteLength)
    if (bytes.byteLength > 0) yield bytes
    return
  }
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  try {
    reader = request.body?.getReader()
  } catch (error) {
    // Node cannot make a body from the stream of a client that has disconnected
    throw request.signal.aborted ? new HttpError(clientGone()) : error
  }
  if (!reader) return
  let length = 0
  try {
    for (;;) {
      const chunk = await reader.read().catch(rejectGone)
      if (chunk.done) return
      length += chunk.value.byteLength
      if (length > limit) throw bodyTooLarge(operation, limit)
      take(chunk.value.byteLength)
      yield chunk.value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function bodyTooLarge({ responses }: Operation, limit: number): HttpError {
  const message = `The body is larger than ${limit} bytes.`
  // no other request can follow an unread body
  const close = { connection: 'close' }
  return new HttpError(
    '413' in responses
      ? tooLarge(message, close)
      : invalidInput(message, { _errors: [message] }, close),
  )
}

/** The memory of one request's body, until its response. */
export type BodyShare = {
  /** Counts bytes that were read. Throws 429 when the budget is exhausted. */
  readonly take: TakeBytes
  /** Frees all of it. */
  readonly close: () => void
}

/** Accounts without credit cost nothing to create, so they share the smaller budget. */
type BodyCaller = { readonly id: string; readonly hasCredit: boolean }

export type BodyBudget = {
  readonly open: (caller: BodyCaller) => BodyShare
  /** The bytes of all bodies at present. */
  readonly inFlight: () => number
}

type BodyBudgetOptions = {
  /** Bytes for callers with credit. Default: 256 MiB. */
  readonly withCredit?: number
  /** Bytes for callers without credit. Default: 64 MiB. */
  readonly withoutCredit?: number
}

const mebibyte = 1024 * 1024

/**
 * Bounds the memory of all request bodies by the bytes received. One caller gets at most half of
 * its budget.
 */
export function createBodyBudget({
  withCredit = 256 * mebibyte,
  withoutCredit = 64 * mebibyte,
}: BodyBudgetOptions = {}): BodyBudget {
  const parts = { true: createPart(withCredit), false: createPart(withoutCredit) }
  let inFlight = 0
  return {
    open: ({ id, hasCredit }) => {
      const part = parts[`${hasCredit}`]
      let taken = 0
      let counted = 0
      return {
        take: (bytes) => {
          const more = Math.max(0, taken + bytes - smallBody) - counted
          if (more > 0 && !part.take(id, more)) throw serviceBusy()
          counted += more
          taken += bytes
          inFlight += bytes
        },
        close: () => {
          if (counted > 0) part.give(id, counted)
          inFlight -= taken
          taken = counted = 0
        },
      }
    },
    inFlight: () => inFlight,
  }
}

function createPart(most: number) {
  const bytesByCaller = new Map<string, number>()
  let sum = 0
  const change = (id: string, bytes: number) => {
    const left = (bytesByCaller.get(id) ?? 0) + bytes
    if (left === 0) bytesByCaller.delete(id)
    else bytesByCaller.set(id, left)
    sum += bytes
  }
  return {
    take: (id: string, bytes: number): boolean => {
      if (sum + bytes > most || (bytesByCaller.get(id) ?? 0) + bytes > most / 2) return false
      change(id, bytes)
      return true
    },
    give: (id: string, bytes: number) => change(id, -bytes),
  }
}

function serviceBusy(): HttpError {
  const error = 'The memory for request bodies is full. Try again in a moment.'
  return new HttpError(
    failure(429, error, 'SERVICE_BUSY', { 'retry-after': '2', connection: 'close' }),
  )
}

/**
 * Reads multipart/form-data as it arrives, with files in memory. A file over its `maxFileBytes` is
 * 413 at once. A duplicate field, or a file in a text field, is 400. A list is a field that is
 * given several times, or whose name has brackets, or both.
 */
export async function readMultipart(
  request: Request,
  operation: Operation,
  fields: Readonly<Record<string, z.ZodType>>,
  take: TakeBytes,
): Promise<Readonly<Record<string, unknown>>> {
  const files = Object.keys(operation.maxFileBytes ?? {})
  const result = new Map<string, unknown>()
  let fault: Failure | undefined
  const fail = (found: Failure) => void (fault ??= found)
  // a part may lack a name
  const put = (given: string | undefined, value: unknown) => {
    if (given === undefined) {
      fail(malformedMultipart())
      return
    }
    for (const name of given.endsWith('[]') ? [given.slice(0, -2), given] : [given]) {
      if (!Object.hasOwn(fields, name) || fields[name]?.safeParse([]).success !== true) continue
      const earlier = result.get(name)
      result.set(name, [...(Array.isArray(earlier) ? earlier : []), value])
      return
    }
    if (result.has(given)) fail(invalidField(given, 'Given more than once.'))
    result.set(given, value)
  }

  let parser: InstanceType<typeof Busboy>
  try {
    parser = new Busboy({
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      limits: {
        // no named file has a larger limit
        fileSize: findFileLimit(operation, ''),
        files: files.length + 1,
        fields: 32,
        parts: 40,
        fieldSize: formOverhead,
        headerPairs: 32,
      },
      // a client may send a file without a name or a type
      isPartAFile: (name, contentType, fileName) =>
        fileName !== undefined ||
        contentType === 'application/octet-stream' ||
        (name !== undefined && files.includes(name)),
    })
  } catch {
    throw new HttpError(malformedMultipart())
  }
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated)
      fail(tooLarge(`The field ${name.slice(0, 50)} is larger than ${formOverhead} bytes.`))
    put(name, value)
  })
  parser.on('file', (name, stream) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const limit = findFileLimit(operation, name)
    stream.on('data', (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= limit) chunks.push(chunk)
      else fail(tooLarge(`The file is larger than ${limit} bytes.`))
    })
    stream.on('error', () => fail(malformedMultipart()))
    stream.on('limit', () => fail(tooLarge(`The file is larger than ${limit} bytes.`)))
    stream.on('end', () => {
      if (!files.includes(name)) fail(invalidField(name, 'Expected a string, found a file.'))
      put(name, joinBytes(chunks))
    })
  })
  for (const [event, what] of [
    ['filesLimit', 'files'],
    ['fieldsLimit', 'fields'],
    ['partsLimit', 'parts'],
  ] as const) {
    parser.on(event, () =>
      fail(invalidInput(`The form has too many ${what}.`, { _errors: [`Too many ${what}.`] })),
    )
  }
  const ended = finished(parser).catch(() => fail(malformedMultipart()))
  for await (const chunk of readLimitedBody(request, operation, take)) {
    if (fault !== undefined) break
    await Promise.race([new Promise((resolve) => parser.write(chunk, resolve)), ended])
  }
  if (fault === undefined) {
    parser.end()
    // the parser may wait forever for the rest of a truncated body
    await Promise.race([ended, sleep(5_000)])
    if (!parser.writableFinished) fail(malformedMultipart())
  } else parser.destroy()
  if (fault !== undefined) throw new HttpError(fault)
  return Object.fromEntries(result)
}

function malformedMultipart(): Failure {
  return invalidInput('The body is not well-formed multipart/form-data.', {
    _errors: ['Expected multipart/form-data with a boundary, ended by it.'],
  })
}
