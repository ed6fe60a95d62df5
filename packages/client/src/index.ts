export { createClient, type ClientOptions } from './create-client.js'
export * from './generated/operations.js'
export {
  InvalidInputError,
  UnexpectedResponseError,
  type Call,
  type CallOptions,
  type Client,
  type FileInput,
  type StreamSource,
  type UnexpectedResponseReason,
} from './generated/index.js'
