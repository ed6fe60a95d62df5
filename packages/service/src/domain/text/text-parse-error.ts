import type { ExtractTextErrorCode } from '@farebox/office-text'
import { FileError } from '../../platform/workers/file-error.js'

/**
 * Why a file gave no text. The list is closed.
 *
 * - `unsupported_type`: not PDF, DOCX, PPTX, XLSX or plain text
 * - `encrypted`: opens with a password only
 * - `corrupt`: begins like a known type, yet cannot be read as one
 * - `empty`: no bytes
 * - `no_text`: readable, but holds nothing but white space or pictures
 * - `too_complex`: expands past the limits on entries, size, nesting, memory or text
 * - `timeout`: reading took longer than allowed
 * - `overloaded`: no worker was free in time, or the parser is shutting down; the file itself was not looked at
 */
export type TextParseErrorCode = ExtractTextErrorCode | 'timeout' | 'overloaded'

/** A file that gave no text. The message says what was found and what is accepted, and quotes nothing of the file. */
export class TextParseError extends FileError<TextParseErrorCode> {
  override readonly name = 'TextParseError'
}
