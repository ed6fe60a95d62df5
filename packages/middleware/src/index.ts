export { onAbort, sleep, untilAborted } from './abort.js'
export {
  compose,
  isResendable,
  shownUrl,
  withHeader,
  type Attempt,
  type Body,
  type Call,
  type CallBody,
  type CallInit,
  type Middleware,
  type Operation,
  type Send,
} from './call.js'
export { fetchSend, withMiddleware } from './fetch.js'
export {
  clockOffset,
  discard,
  httpDate,
  isRecord,
  readAhead,
  readStart,
  withBody,
  type BodySource,
  type BodyStart,
} from './response.js'
export * from './tracing.js'
