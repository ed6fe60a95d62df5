export {
  createClient,
  type AcceptingOptions,
  type Client,
  type ClientOptions,
} from './create-client.js'
export * from './generated/operations.js'
export {
  acceptUnexpected,
  InvalidInputError,
  UnexpectedResponseError,
  type Accepting,
  type Call,
  type CallOptions,
  type EventStream,
  type FileInput,
  type ItemStream,
  type PaidCallOptions,
  type StreamSource,
  type Unexpected,
  type UnexpectedResponseReason,
} from './generated/index.js'
