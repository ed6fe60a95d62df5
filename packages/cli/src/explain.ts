import { operations, type Operation } from '@farebox/types/operations'
import { FareboxError } from 'farebox'
import { Refusal, UsageError } from './errors.js'

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

const keys = new WeakMap<FareboxError, string>()

/** Keeps the Idempotency-Key of a paid call with an unknown outcome, for the advice. */
export async function mayRepeat<Result>(idempotencyKey: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof FareboxError && error.mayHaveArrived) keys.set(error, idempotencyKey)
    throw error
  }
}

export function explain(error: unknown, isAborted: boolean): Explanation {
  if (error instanceof UsageError) return { exitCode: 2, code: 'usage', message: error.message }
  if (error instanceof FareboxError) return ofService(error, isAborted)
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

function ofService(error: FareboxError, isAborted: boolean): Explanation {
  const { code, message, status, operation, requestId, attempts, mayHaveArrived, retryAt } = error
  const key = keys.get(error)
  const advice = [
    adviceOn(error),
    ...(key === undefined
      ? []
      : [`The work may be done and charged all the same: a repeat with --idempotency-key ${key} does and charges nothing twice.`]),
    ...(retryAt === undefined ? [] : [`Try again after ${new Date(retryAt).toISOString()}.`]),
  ].filter((line) => line !== undefined)
  const exitCode = isAborted || code === 'aborted' ? 130 : code === 'invalid_input' || code === 'configuration' ? 2 : 1
  return {
    exitCode,
    code,
    message,
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

function adviceOn({ status, code, operation, message, mayHaveArrived }: FareboxError): string | undefined {
  const facts: Operation | undefined = operation && operations[operation]
  const pays = facts?.billing === 'payment'
  if (facts?.body?.fields?.includes('voice') && /\bvoice\b/.test(message) && (status === 400 || code === 'invalid_input')) {
    return 'farebox voices lists the voices of each model.'
  }
  if (status === 401)
    return 'Check FAREBOX_API_KEY or FAREBOX_PRIVATE_KEY, that they are of this service, and that the key is of a type that may do this.'
  if (status === 402 && !pays) return 'There is not enough credit. See farebox balance; a wallet buys more with farebox top-up 10.'
  if (status === 409 && facts?.body?.fields?.includes('consents'))
    return 'Whoever may attest what the policy asks for repeats the command with --consent.'
  if (code === 'outcome_unknown' || (pays && mayHaveArrived)) return 'Read farebox balance before you buy again.'
  if (['connection', 'not_sent', 'lost_answer', 'timeout'].includes(code)) return 'Check --base-url, and that the service is running.'
  return undefined
}

/** An error of the operating system: a full disk, a missing file. */
function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}
