export { onAbort, untilAborted } from './abort.js'
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
export { clockOffset, httpDate, sleep } from './time.js'
export { discard, readAhead, readStart, withBody, type BodySource, type BodyStart } from './body.js'
export { fetchSend, withMiddleware } from './fetch.js'
export { isRecord } from './is-record.js'
