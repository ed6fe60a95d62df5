import type { ExtractTextErrorCode } from '@farebox/office-text'
import { FileError } from '../../platform/workers/worker-task.js'
import { UpstreamError } from '../../platform/upstream/upstream-failure.js'

/**
 * Why a file has no text. This list is complete.
 *
 * - `unsupported_type`: not PDF, DOCX, PPTX, XLSX or plain text
 * - `encrypted`: needs a password
 * - `corrupt`: looks like a known type, but cannot be read
 * - `empty`: no bytes
 * - `no_text`: only white space or pictures
 * - `too_complex`: over the limits on entries, size, nesting, memory or text
 * - `timeout`: over the time limit
 * - `overloaded`: no worker was free in time, or the parser is shutting down. The file was not
 *   read.
 */
export type TextParseErrorCode = ExtractTextErrorCode | 'timeout' | 'overloaded'

/** A file without text. The message does not quote the file. */
export class TextParseError extends FileError<TextParseErrorCode> {
  override readonly name = 'TextParseError'
}

/** An upstream of the text parser failed. */
export class TextUpstreamError extends UpstreamError {
  override readonly name = 'TextUpstreamError'
}
