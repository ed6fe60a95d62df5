import type { Operation } from '@farebox/types/operations'
import { invalidInput, tooLarge, type HttpError } from './http-error.js'

/** How many bytes a body may have, and the answer to a larger one. */
export type BodyLimit = { readonly bytes: number; readonly refuse: () => HttpError }

/** The largest JSON body where the contract has an answer to a larger one: video requests carry pictures and videos as data URLs. */
const largeJson = 64 * 1024 * 1024
/** And where it has none: the longest texts that such an operation takes are some kilobytes. */
const smallJson = 1024 * 1024
/** What a file may not exceed when the contract gives no figure. */
const defaultFile = 25 * 1024 * 1024
/** In a form, for boundaries, part headers and fields, beside the files. */
export const formOverhead = 256 * 1024

/** From the contract: `x-max-file-bytes` of each file of a form; of JSON, whether the operation has an answer of 413. */
export function bodyLimitOf(operation: Operation): BodyLimit {
  const hasAnswer = '413' in operation.responses
  const isForm = operation.body?.contentType === 'multipart/form-data'
  const files = Object.values(fileLimitsOf(operation))
  const json = hasAnswer ? largeJson : smallJson
  const bytes = isForm ? formOverhead + (files.length === 0 ? defaultFile : files.reduce((sum, one) => sum + one)) : json
  const message = `The body is larger than ${bytes} bytes.`
  // what is left of the body is not read, so that no other request can follow it
  const close = { connection: 'close' }
  return { bytes, refuse: () => (hasAnswer ? tooLarge(message, close) : invalidInput(message, { _errors: [message] }, close)) }
}

/** Bytes of each file of a form. */
export function fileLimitsOf(operation: Operation): Readonly<Record<string, number>> {
  return operation.maxFileBytes ?? {}
}

/** What a file of this name may have. */
export function fileLimitOf(operation: Operation, name: string): number {
  const limits = fileLimitsOf(operation)
  return (Object.hasOwn(limits, name) ? limits[name] : undefined) ?? Math.max(defaultFile, ...Object.values(limits))
}
