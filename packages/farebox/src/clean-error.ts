import { AuthError, PaymentError } from '@farebox/auth/api-key'
import { FareboxError } from './error.js'
import type { Redact } from './redactor.js'

/** The longest message in characters. It quotes the service, which may send megabytes. */
const maxMessageLength = 2_000

/** The longest code or request id, in characters. */
const maxWordLength = 200

/** How deep a body of an error, and a chain of causes, is kept. */
const maxDepth = 32

/**
 * The boundary that every error of the SDK passes. Hides our credentials in all fields and limits
 * the length of the message. A foreign error is replaced by a copy, since its fields may hold a
 * whole request. Errors of this SDK and of `@farebox/auth` are clean already and stay as they are,
 * and so does the caller's own abort reason.
 */
export function cleanError<Kind extends FareboxError>(error: Kind, redact: Redact, reason?: unknown): Kind {
  const { message, code, requestId, body, cause, stack } = error
  const clean = shorten(redact(shorten(message, 2 * maxMessageLength)), maxMessageLength)
  return Object.assign(error, {
    message: clean,
    code: wordOf(code, redact),
    requestId: requestId === undefined ? undefined : wordOf(requestId, redact),
    body: cleanValue(body, redact),
    // the stack begins with the message
    stack: stack && redact(stack.replace(message, () => clean)),
    ...(cause !== undefined && { cause: cause === reason ? cause : cleanCause(cause, redact) }),
  })
}

/** A code or id of the service, shortened and redacted. */
function wordOf(text: string, redact: Redact): string {
  return shorten(redact(shorten(text, 2 * maxWordLength)), maxWordLength)
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/**
 * A JSON value without our credentials. Levels deeper than any body of the contract are dropped.
 */
function cleanValue(value: unknown, redact: Redact, depth = maxDepth): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null || value instanceof Response) return value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, redact, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), cleanValue(one, redact, depth - 1)]))
}

/** A copy of a thrown value: name, message, stack, plain fields such as `code`, and causes. */
function cleanCause(thrown: unknown, redact: Redact, depth = maxDepth): unknown {
  if (thrown instanceof FareboxError || thrown instanceof AuthError) return thrown
  if (thrown instanceof PaymentError) return cleanPayment(thrown, redact)
  if (typeof thrown === 'string') return shorten(redact(thrown), maxMessageLength)
  if (typeof thrown !== 'object' || thrown === null || depth === 0) return typeof thrown === 'object' ? undefined : thrown
  try {
    const { name, message, stack, cause, errors } = thrown as Readonly<Record<string, unknown>>
    const text = (value: unknown) => shorten(redact(String(value)), maxMessageLength)
    const copy = new Error(message === undefined ? '' : text(message))
    return Object.assign(copy, factsOf(thrown, redact), {
      name: name === undefined ? 'Error' : text(name),
      ...(typeof stack === 'string' && { stack: text(stack) }),
      ...(cause !== undefined && { cause: cleanCause(cause, redact, depth - 1) }),
      ...(Array.isArray(errors) && { errors: errors.slice(0, 16).map((one) => cleanCause(one, redact, depth - 1)) }),
    })
  } catch {
    // a value that throws when it is inspected is dropped
    return undefined
  }
}

/**
 * The fields that are strings, numbers or booleans. An object may be a request with its headers.
 */
function factsOf(thrown: object, redact: Redact): Readonly<Record<string, unknown>> {
  const { code, status } = thrown as { readonly code?: unknown; readonly status?: unknown }
  const facts = Object.entries({ code, status, ...thrown }).slice(0, 32)
  const plain = facts.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(plain.map(([name, value]) => [redact(name), typeof value === 'string' ? wordOf(value, redact) : value]))
}

/** Keeps `payload`, with which the same payment can be sent again. It is readable only by name. */
function cleanPayment(error: PaymentError, redact: Redact): PaymentError {
  const { code, message, payload, reason, status, outcome, cause } = error
  return new PaymentError(code, redact(message), {
    ...(outcome === 'unknown' && { outcome }),
    ...(payload !== undefined && { payload }),
    ...(reason !== undefined && { reason: redact(reason) }),
    ...(status !== undefined && { status }),
    ...(cause !== undefined && { cause: cleanCause(cause, redact) }),
  })
}
