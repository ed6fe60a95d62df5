export { createClient, type Client, type ClientOptions } from './create-client.js'
export * from './generated/operations.js'
export {
  InvalidInputError,
  UnexpectedResponseError,
  type Call,
  type CallOptions,
  type FileInput,
  type StreamSource,
  type UnexpectedResponseReason,
} from './generated/index.js'
