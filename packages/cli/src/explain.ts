import { FareboxError } from 'farebox'
import { adviceOn } from './advice.js'
import type { Caller } from './connect.js'
import { Refusal, UsageError } from './errors.js'
import { inFlags, type Typed } from './in-flags.js'
import { repeatKeyOf } from './may-repeat.js'

/**
 * Why a command failed: one or two lines for people, an object for `--json`.
 */
export type Explanation = {
  /** 1 refused or failed, 2 usage, 70 internal, 130 interrupted by the user. */
  readonly exitCode: number
  readonly code: string
  readonly message: string
  /** What to do. */
  readonly advice?: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** The facts of the call that failed. */
export type Circumstances = {
  readonly isAborted: boolean
  /** The command line. Without it, fields keep the names of the SDK. */
  readonly typed?: Typed | undefined
  readonly caller?: Caller | undefined
}

export function explain(error: unknown, circumstances: Circumstances): Explanation {
  const { isAborted } = circumstances
  if (error instanceof UsageError) return { exitCode: 2, code: 'usage', message: error.message }
  if (error instanceof FareboxError) return ofService(error, circumstances)
  if (isAborted) return { exitCode: 130, code: 'aborted', message: 'Given up.' }
  if (error instanceof Refusal) return { exitCode: 1, code: error.code, message: error.message }
  if (isSystemError(error)) return { exitCode: 1, code: error.code.toLowerCase(), message: error.message }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    exitCode: 70,
    code: 'internal',
    message: `This is a fault of farebox itself. ${what}`,
    advice: 'Please report it, with the command that you ran.',
  }
}

function ofService(error: FareboxError, { isAborted, typed, caller }: Circumstances): Explanation {
  const { code, status, operation, requestId, attempts, mayHaveArrived, retryAt } = error
  const key = repeatKeyOf(error)
  const advice = [
    adviceOn(error, caller),
    ...(key === undefined
      ? []
      : [`The work may be done and charged all the same: a repeat with --idempotency-key ${key} does and charges nothing twice.`]),
    ...(retryAt === undefined ? [] : [`Try again after ${new Date(retryAt).toISOString()}.`]),
  ].filter((line) => line !== undefined)
  const exitCode = isAborted || code === 'aborted' ? 130 : code === 'invalid_input' || code === 'configuration' ? 2 : 1
  return {
    exitCode,
    code,
    message: typed === undefined ? error.message : messageOf(error, typed),
    ...(advice.length > 0 && { advice: advice.join('\n') }),
    facts: {
      ...(operation !== undefined && { operation }),
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      attempts,
      mayHaveArrived,
      ...(key !== undefined && { idempotencyKey: key }),
      ...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }),
    },
  }
}

/** The message without the name of the SDK's method, and with flags in place of its fields. */
function messageOf(error: FareboxError, typed: Typed): string {
  const { message, operation, status, code } = error
  const own = operation !== undefined && message.startsWith(`${operation}: `) ? message.slice(operation.length + 2) : message
  const prefix = `${status ?? ''}`
  const said = status !== undefined && own.startsWith(prefix) ? own.slice(prefix.length).trim() : own
  if (said === '') return `The service responded with ${prefix}.`
  if (code === 'invalid_input') return `${inFlags(said.replace(unsent, ''), typed)}${unsent.test(said) ? '. Nothing was sent.' : ''}`
  const [, url] = unreached.exec(said) ?? []
  if (url !== undefined) return `There is no connection to ${new URL(url).origin}${whyUnreached(error)}.`
  const worded = inFlags(said, typed)
  return `${worded.charAt(0).toUpperCase()}${worded.slice(1)}${said === own ? '' : ` (HTTP ${prefix})`}`
}

/** How the validation of the SDK begins. */
const unsent = /^the input is not what the contract takes, and nothing was sent\. /

/** The message of an attempt without a connection. */
const unreached = /^[A-Z]+ (https?:\S+): no connection was made/

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
}

/** The cause that the system gave, with its code. Empty: it gave none. */
function whyUnreached({ cause }: Error): string {
  if (!(cause instanceof Error)) return ''
  const { code } = cause as NodeJS.ErrnoException
  if (typeof code !== 'string' || !/^[A-Z][A-Z_]+$/.test(code)) return whyUnreached(cause)
  return reasons[code] === undefined ? ` (${code})` : `: ${reasons[code]} (${code})`
}

/** An error of the operating system: a full disk, a missing file. */
function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}
