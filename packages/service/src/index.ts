export { createService, type Service, type ServiceOptions } from './app/create-service.js'
export {
  createUpstreams,
  type GivenUpstream,
  type Upstreams,
  type UpstreamsOptions,
} from './app/create-upstreams.js'
export {
  administer,
  type Administration,
  type AdministrationOptions,
} from './app/administration.js'
export type { Database, Row, Statement } from './platform/database/database.js'
export { FolderLockedError } from './platform/database/lock-folder.js'
export { DatabaseUnreachableError, StorageError } from './platform/database/storage-error.js'
export type { Catalogue } from './domain/models/catalogue.js'
export type { CatalogueOverrides, CatalogueSettings } from './domain/models/catalogue-settings.js'
export { createCatalogue } from './domain/models/read-catalogue.js'
export type { RequestInfo } from './http/request-context.js'
export type { RequestRecord } from './platform/telemetry/log.js'
export { openTelemetry, type TelemetryOptions } from './platform/otel/open-telemetry.js'
export type { Telemetry } from './platform/telemetry/spans.js'
export type { Facilitator } from './domain/payments/facilitator-client.js'
export { localPayments, type LocalPaymentsOptions } from './domain/payments/local-payments.js'
export type {
  Bought,
  PaymentBackend,
  Settlement,
  VerifiedPayment,
  VerifyTerms,
} from './domain/payments/payment-backend.js'
export {
  createTextParser,
  type ParsedText,
  type TextListeners,
  type TextParser,
  type TextParserOptions,
} from './domain/text/text-parser.js'
export { TextParseError, type TextParseErrorCode } from './domain/text/text-errors.js'
export type { WorkCost } from './platform/upstream/work-cost.js'
export {
  SpeechError,
  type SpeechBackend,
  type SpeechPart,
  type SpeechRequest,
} from './domain/speech/speech-backend.js'
export {
  createUpstreamSpeech,
  type UpstreamSpeechOptions,
} from './domain/speech/upstream-speech.js'
export { createUpstreamVideo, type UpstreamVideoOptions } from './domain/video/routed-video.js'
export {
  VideoError,
  type Medium,
  type VideoBackend,
  type VideoOrder,
  type VideoTask,
} from './domain/video/video-backend.js'
