import type { Operation } from '@farebox/types/operations'
import { invalidInput, tooLarge, clientGone, failure } from '../contract/failures.js'
import { HttpError } from './reply.js'

/** For operations that declare 413: video requests have pictures and videos as data URLs. */
const largeJson = 64 * 1024 * 1024
/** For other operations, whose longest texts have some kilobytes. */
const smallJson = 1024 * 1024
/** The largest file without a figure in the contract. */
const defaultFile = 25 * 1024 * 1024
/** For boundaries, part headers and fields of a form. */
export const formOverhead = 256 * 1024

/** The largest size in bytes of a file of a form. `''` for a file that the contract does not name. */
export function findFileLimit({ maxFileBytes = {} }: Operation, name: string): number {
  return (
    (Object.hasOwn(maxFileBytes, name) ? maxFileBytes[name] : undefined) ??
    Math.max(defaultFile, ...Object.values(maxFileBytes))
  )
}

/**
 * The largest body in bytes. Follows `x-max-file-bytes` for a form, and for JSON
 * `x-max-body-bytes`, or else whether the operation declares 413.
 */
function findBodyLimit({ body, responses, maxBodyBytes, maxFileBytes = {} }: Operation): number {
  if (body?.contentType !== 'multipart/form-data')
    return maxBodyBytes ?? ('413' in responses ? largeJson : smallJson)
  let files = 0
  for (const bytes of Object.values(maxFileBytes)) files += bytes
  return formOverhead + (files || defaultFile)
}

/** Called with the size of each chunk before it is kept. Throws when there is no memory for it. */
export type TakeBytes = (bytes: number) => void

/**
 * The chunks of a body up to the limit of its operation. A body whose Content-Length is over the
 * limit is rejected unread.
 */
export async function* readLimitedBody(
  request: Request,
  operation: Operation,
  take: TakeBytes,
): AsyncGenerator<Uint8Array> {
  const limit = findBodyLimit(operation)
  if (Number(request.headers.get('content-length')) > limit) throw overLimit(operation, limit)
  if (!request.body) return
  const reader = request.body.getReader()
  let length = 0
  try {
    for (;;) {
      const chunk = await reader.read().catch(() => {
        throw new HttpError(clientGone())
      })
      if (chunk.done) return
      length += chunk.value.byteLength
      if (length > limit) throw overLimit(operation, limit)
      take(chunk.value.byteLength)
      yield chunk.value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function overLimit({ responses }: Operation, limit: number): HttpError {
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
type BodyShare = {
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

/** Not counted: 64 MiB for all 4,096 connections together. */
const freeBytes = 16 * 1024

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
          const more = Math.max(0, taken + bytes - freeBytes) - counted
          if (more > 0 && !part.take(id, more)) throw busy()
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
  const held = new Map<string, number>()
  let sum = 0
  const change = (id: string, bytes: number) => {
    const left = (held.get(id) ?? 0) + bytes
    if (left === 0) held.delete(id)
    else held.set(id, left)
    sum += bytes
  }
  return {
    take: (id: string, bytes: number): boolean => {
      if (sum + bytes > most || (held.get(id) ?? 0) + bytes > most / 2) return false
      change(id, bytes)
      return true
    },
    give: (id: string, bytes: number) => change(id, -bytes),
  }
}

function busy(): HttpError {
  const error = 'The service holds as many request bodies as it can. Try again in a moment.'
  return new HttpError(
    failure(429, error, 'SERVICE_BUSY', { 'retry-after': '2', connection: 'close' }),
  )
}
