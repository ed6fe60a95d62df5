import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { isWritten } from './encode-form.js'
import { isFileInput, openFile } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'
import { toPlainString } from './text.js'

/** Sends a file as it is, with its own type if the contract offers a choice (`image/*`). */
export async function encodeRaw(
  value: unknown,
  { contentType: declared, files = [], alsoValues = [] }: BodyFacts,
  { id }: OperationFacts,
): Promise<PreparedBody> {
  if (isWritten(value)) return { body: value }
  const exact = declared.includes('*') ? undefined : declared
  if (
    isFileInput(value, files.length === 0 ? 'values' : alsoValues.length > 0 ? 'either' : 'files')
  ) {
    const file = await openFile(value, 'body')
    const own = 'blob' in file ? file.blob.type : file.type
    return {
      body: 'blob' in file ? file.blob : file.stream,
      contentType: exact ?? (own || 'application/octet-stream'),
    }
  }
  if (typeof value !== 'object')
    return { body: toPlainString(value), contentType: exact ?? 'text/plain;charset=UTF-8' }
  throw new InvalidInputError(
    `${id}: the body is ${declared}, so it must be a string or bytes; found an object. Write it as ${declared} first.`,
  )
}
