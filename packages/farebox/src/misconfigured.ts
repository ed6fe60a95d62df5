import { FareboxError } from './error.js'

/** The error of options that cannot be used. */
export function misconfigured(message: string): FareboxError {
  return new FareboxError(message, { code: 'configuration', attempts: 0 })
}
