import type { Operation } from '@farebox/types/operations'
import { invalidInput, tooLarge, clientGone, failure } from '../contract/failures.js'
import { boundedChunks } from '../platform/bounded-body.js'
import { HttpError } from './reply.js'

/** The largest body in bytes, and the error for a larger one. */
type BodyLimit = { readonly bytes: number; readonly refuse: () => HttpError }

/** For operations that declare 413: video requests have pictures and videos as data URLs. */
const largeJson = 64 * 1024 * 1024
/** For other operations, whose longest texts have some kilobytes. */
const smallJson = 1024 * 1024
/** The largest file without a figure in the contract. */
const defaultFile = 25 * 1024 * 1024
/** For boundaries, part headers and fields of a form. */
export const formOverhead = 256 * 1024

/**
 * Follows `x-max-file-bytes` for a form, and for JSON `x-max-body-bytes`, or else whether the
 * operation declares 413.
 */
export function findBodyLimit(operation: Operation): BodyLimit {
  const hasAnswer = '413' in operation.responses
  const isForm = operation.body?.contentType === 'multipart/form-data'
  const files = Object.values(findFileLimits(operation))
  const json = operation.maxBodyBytes ?? (hasAnswer ? largeJson : smallJson)
  const bytes = isForm
    ? formOverhead + (files.length === 0 ? defaultFile : files.reduce((sum, one) => sum + one))
    : json
  const message = `The body is larger than ${bytes} bytes.`
  // no other request can follow an unread body
  const close = { connection: 'close' }
  return {
    bytes,
    refuse: () =>
      new HttpError(
        hasAnswer ? tooLarge(message, close) : invalidInput(message, { _errors: [message] }, close),
      ),
  }
}

/** Largest size in bytes of each file of a form. */
export function findFileLimits(operation: Operation): Readonly<Record<string, number>> {
  return operation.maxFileBytes ?? {}
}

export function findFileLimit(operation: Operation, name: string): number {
  const limits = findFileLimits(operation)
  return (
    (Object.hasOwn(limits, name) ? limits[name] : undefined) ??
    Math.max(defaultFile, ...Object.values(limits))
  )
}

/** Called with the size of each chunk before it is kept. Throws when there is no memory for it. */
export type TakeBytes = (bytes: number) => void

/**
 * The chunks of a body up to its limit. A body whose Content-Length is over the limit is refused
 * unread.
 */
export async function* readLimitedBody(
  request: Request,
  { bytes: maxBytes, refuse }: BodyLimit,
  take: TakeBytes,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw refuse()
  for await (const chunk of boundedChunks(readChunks(request), maxBytes, refuse)) {
    take(chunk.byteLength)
    yield chunk
  }
}

async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.body ?? []
  } catch {
    throw new HttpError(clientGone())
  }
}

/** The memory of one request's body, until its response. */
export type BodyShare = {
  /** Counts bytes that were read. Throws 429 when the budget is exhausted. */
  readonly take: (caller: BodyCaller, bytes: number) => void
  /** Frees all of it. */
  readonly close: () => void
}

/** Accounts without credit cost nothing to create, so they share the smaller budget. */
type BodyCaller = { readonly id: string; readonly hasCredit: boolean }

export type BodyBudget = {
  readonly open: () => BodyShare
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
    open: () => {
      let free = freeBytes
      let own = 0
      const given: (() => void)[] = []
      return {
        take: ({ id, hasCredit }, bytes) => {
          const counted = Math.max(0, bytes - free)
          free = Math.max(0, free - bytes)
          const part = parts[`${hasCredit}`]
          if (counted > 0) {
            if (!part.take(id, counted)) throw busy()
            given.push(() => part.give(id, counted))
          }
          own += bytes
          inFlight += bytes
        },
        close: () => {
          for (const give of given.splice(0)) give()
          inFlight -= own
          own = 0
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
