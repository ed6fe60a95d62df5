import { AuthError, PaymentError } from '@farebox/auth'
import { FareboxError } from './error.js'
import type { Redact } from './redactor.js'

/** The longest message of an error, in characters: the service's own words stand in it, and may be megabytes. */
const mostMessage = 2_000

/** The longest code, request id and other word, in characters. */
const mostWord = 200

/** How deep a body of an error, and a chain of causes, is kept. */
const mostDepth = 32

/**
 * The one boundary that every error of the SDK passes: hides our own credentials in everything that it shows, and bounds what others wrote into
 * its message. What others threw becomes a copy, since its own fields may hold a whole request; errors of this SDK and of `@farebox/auth`,
 * which were made clean, and the reason that the caller aborted with, stay what they are.
 */
export function cleanError<Kind extends FareboxError>(error: Kind, redact: Redact, reason?: unknown): Kind {
  const { message, code, requestId, body, cause, stack } = error
  const clean = shorten(redact(shorten(message, 2 * mostMessage)), mostMessage)
  return Object.assign(error, {
    message: clean,
    code: wordOf(code, redact),
    requestId: requestId === undefined ? undefined : wordOf(requestId, redact),
    body: cleanValue(body, redact),
    // it begins with the message
    stack: stack && redact(stack.replace(message, () => clean)),
    ...(cause !== undefined && { cause: cause === reason ? cause : cleanCause(cause, redact) }),
  })
}

/** A text of the service as a word of ours. */
function wordOf(text: string, redact: Redact): string {
  return shorten(redact(shorten(text, 2 * mostWord)), mostWord)
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/** A value of JSON without our credentials. What is deeper than any body of the contract is left out. */
function cleanValue(value: unknown, redact: Redact, depth = mostDepth): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null || value instanceof Response) return value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, redact, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), cleanValue(one, redact, depth - 1)]))
}

/** A copy of what was thrown: its name, text and stack, its plain facts (such as `code`), and its own causes. */
function cleanCause(thrown: unknown, redact: Redact, depth = mostDepth): unknown {
  if (thrown instanceof FareboxError || thrown instanceof AuthError) return thrown
  if (thrown instanceof PaymentError) return cleanPayment(thrown, redact)
  if (typeof thrown === 'string') return shorten(redact(thrown), mostMessage)
  if (typeof thrown !== 'object' || thrown === null || depth === 0) return typeof thrown === 'object' ? undefined : thrown
  try {
    const { name, message, stack, cause, errors } = thrown as Readonly<Record<string, unknown>>
    const text = (value: unknown) => shorten(redact(String(value)), mostMessage)
    const copy = new Error(message === undefined ? '' : text(message))
    return Object.assign(copy, factsOf(thrown, redact), {
      name: name === undefined ? 'Error' : text(name),
      ...(typeof stack === 'string' && { stack: text(stack) }),
      ...(cause !== undefined && { cause: cleanCause(cause, redact, depth - 1) }),
      ...(Array.isArray(errors) && { errors: errors.slice(0, 16).map((one) => cleanCause(one, redact, depth - 1)) }),
    })
  } catch {
    // what cannot be looked at is left out
    return undefined
  }
}

/** What is told in a word, a number or a yes or no. Anything else may be a request with its headers. */
function factsOf(thrown: object, redact: Redact): Readonly<Record<string, unknown>> {
  const { code, status } = thrown as { readonly code?: unknown; readonly status?: unknown }
  const facts = Object.entries({ code, status, ...thrown }).slice(0, 32)
  const told = facts.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(told.map(([name, value]) => [redact(name), typeof value === 'string' ? wordOf(value, redact) : value]))
}

/** The payload, with which the same payment can be sent again, stays there for code that asks for it by name. */
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
