import { fieldFault, refusal } from '../http/http-error.js'
import { FileError } from '../platform/workers/file-error.js'

/**
 * The answer to a file that gave nothing: 400 that names its field, or 429 with this code when the file was not looked at, which is our own
 * doing. What is no FileError is a crash.
 */
export function fileRefusal(error: unknown, field: string, overloaded: string): unknown {
  if (!(error instanceof FileError)) return error
  if (error.code === 'overloaded') return refusal(429, error.message, overloaded, { 'retry-after': '5' })
  return fieldFault(field, error.message)
}
