/** Why a file gave no text. The list is closed. */
export type ExtractTextErrorCode =
  /** The file is not PDF, DOCX, PPTX, XLSX or plain text. */
  | 'unsupported_type'
  /** The file opens with a password only. */
  | 'encrypted'
  /** The file begins like a known type, yet cannot be read as one. */
  | 'corrupt'
  /** The file has no bytes. */
  | 'empty'
  /** The file is readable, but holds nothing but white space or pictures. */
  | 'no_text'
  /** The file expands past one of the limits. */
  | 'too_complex'

/**
 * The text of a file cannot be extracted. The message states the cause and the remedy. It quotes
 * nothing of the file, so that it can be shown and logged.
 */
export class ExtractTextError extends Error {
  override readonly name = 'ExtractTextError'
  readonly code: ExtractTextErrorCode

  constructor(code: ExtractTextErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The types that are read, as one phrase for messages. */
export const acceptedTypes = 'PDF, DOCX, PPTX, XLSX and plain text'
