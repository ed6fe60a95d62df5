export { extractDocument, extractText, type ExtractedText } from './extract-text.js'
export { ExtractTextError, type ExtractTextErrorCode } from './findings.js'
export { defaultLimits, type Limits } from './limits.js'
export type { Warning, WarningCode } from './findings.js'
