/** Why a file has no text. This list is complete. */
export type ExtractTextErrorCode =
  /** The file is not PDF, DOCX, PPTX, XLSX or plain text. */
  | 'unsupported_type'
  /** The file needs a password. */
  | 'encrypted'
  /** The file begins like a known type, but cannot be read. */
  | 'corrupt'
  /** The file has no bytes. */
  | 'empty'
  /** The file is readable, but only contains white space or pictures. */
  | 'no_text'
  /** The file expands past one of the limits. */
  | 'too_complex'

/**
 * The text of a file cannot be extracted. The message states the cause and the remedy. It does not
 * quote the file, so it can be shown and logged.
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

/** What was left out of a text, or changed in it. The list may grow. */
export type WarningCode =
  /** Pictures, whose text is not recognized, and stamps, buttons and signatures of PDF. */
  | 'images_without_text'
  /** Pages of a PDF document that are empty or pictures. */
  | 'pages_without_text'
  /** Parts that the file refers to but does not contain. */
  | 'missing_parts'
  /** Embedded files and parts of an unsupported type. */
  | 'unread_parts'
  /** Comments of reviewers, and pop-up notes of PDF. */
  | 'comments'
  /**
   * Runs of text that the author has hidden, values that the format of their cell hides, and text of
   * PDF that is on layers that are off or has the size 0.
   */
  | 'hidden_text'
  /** Characters of a symbol font without an equivalent in Unicode. */
  | 'unknown_symbols'
  /** Cells with a formula whose result the file does not have. */
  | 'formulas_without_value'
  /** Bytes that are not valid in the encoding of a plain text, each read as U+FFFD. */
  | 'invalid_bytes'

/** A kind of content that is not in the text, and how often it occurred. */
export type Warning = { readonly code: WarningCode; readonly count: number }

/** Counts what is left out while a file is read. */
export type WarningCounter = {
  add(code: WarningCode, count?: number): void
  /** In order of first occurrence. */
  list(): readonly Warning[]
}

export function createWarningCounter(): WarningCounter {
  const counts = new Map<WarningCode, number>()
  return {
    add(code, count = 1) {
      if (count > 0) counts.set(code, (counts.get(code) ?? 0) + count)
    },
    list: () => Array.from(counts, ([code, count]) => ({ code, count })),
  }
}
