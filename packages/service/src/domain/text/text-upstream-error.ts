import { UpstreamError } from '../../platform/upstream/upstream-error.js'

/** An upstream of the text parser failed. */
export class TextUpstreamError extends UpstreamError {
  override readonly name = 'TextUpstreamError'
}
