import { failure } from '../contract/failures.js'
import { HttpError } from './http-error.js'

/** The memory of one request's body, until its response. */
export type BodyShare = {
  /** Counts bytes that were read. Throws 429 when the budget is exhausted. */
  readonly take: (caller: BodyCaller, bytes: number) => void
  /** Frees all of it. */
  readonly close: () => void
}

/** Accounts without credit cost nothing to create, so they share the smaller budget. */
export type BodyCaller = { readonly id: string; readonly hasCredit: boolean }

export type BodyBudget = {
  readonly open: () => BodyShare
  /** The bytes of all bodies at present. */
  readonly inFlight: () => number
}

export type BodyBudgetOptions = {
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
