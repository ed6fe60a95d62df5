import type { FareboxCallOptions } from './call-options.js'
import { FareboxError } from './error.js'
import { unknownOption } from './known-options.js'
import { callOptionNames } from './option-names.js'

/**
 * Refuses an unknown option and a value that cannot be used, before anything is sent. The message
 * never quotes a header, which may be secret.
 */
export function checkCallOptions(options: object): void {
  const { headers, timeoutMs = 1 } = options as FareboxCallOptions
  const wrong =
    unknownOption(options, callOptionNames, 'A call') ??
    (isHeaders(headers) ? undefined : 'headers has a name or a value that HTTP does not allow.') ??
    (timeoutMs > 0 ? undefined : 'timeoutMs is not a positive number.')
  if (wrong !== undefined) throw new FareboxError(`${wrong} Nothing was sent.`, { code: 'invalid_input', attempts: 0 })
}

function isHeaders(headers: FareboxCallOptions['headers']): boolean {
  try {
    return headers === undefined || new Headers(headers) instanceof Headers
  } catch {
    return false
  }
}
