export { extractText } from './extract-text.js'
export { ExtractTextError, type ExtractTextErrorCode } from './extract-text-error.js'
export { defaultLimits, type Limits } from './limits.js'
