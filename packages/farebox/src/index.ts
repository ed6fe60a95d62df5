export type { QueuedVideo } from '@farebox/types'
export {
  FareboxError,
  isFareboxError,
  type ErrorBody,
  type ErrorStatus,
  type FareboxErrorCode,
} from './error.js'
export { createFarebox, type Farebox } from './farebox.js'
export type { ParseAllOptions } from './forms.js'
export type { LocalMedia } from './local-media.js'
export type { Data, FareboxCallOptions } from './methods.js'
export type { FareboxRequest, FareboxRequestOptions } from './operations.js'
export { readBaseUrl, type FareboxEvent, type FareboxOptions } from './options.js'
export { toFile, type ToFileOptions } from './to-file.js'
export type { ConsentQuestion, VideoInput, VideoOptions, VideoProgress } from './video.js'
export type { FareboxCall, Media, RateLimit, RateLimits, WithResponse } from './result.js'
