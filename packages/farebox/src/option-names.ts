import type { GuardOptions, PaceOptions, RetryOptions } from '@farebox/retry'
import type { FareboxCallOptions } from './call-options.js'
import type { Names } from './known-options.js'
import type { FareboxOptions } from './options.js'

const retry: Names<RetryOptions> = {
  attempts: true,
  backoff: true,
  rule: true,
  deadlineMs: true,
  maxWaitMs: true,
  now: true,
  wait: true,
  random: true,
  onRetry: true,
  onEvent: true,
}

const pace: Names<PaceOptions> = {
  caller: true,
  store: true,
  plan: true,
  bucket: true,
  burst: true,
  maxWaitMs: true,
  priority: true,
  tokens: true,
  now: true,
  wait: true,
  onEvent: true,
}

const guard: Names<GuardOptions> = {
  caller: true,
  store: true,
  failures: true,
  windowMs: true,
  blockMs: true,
  maxWaitMs: true,
  sends: true,
  now: true,
  wait: true,
  onEvent: true,
}

const topUp: Names<NonNullable<FareboxOptions['topUp']>> = { amountUsd: true, maxUsdPerDay: true }

/** The options of `createFarebox`. */
export const optionNames: Names<FareboxOptions> = {
  baseUrl: true,
  apiKey: true,
  wallet: true,
  topUp,
  serviceName: true,
  retry,
  pace,
  guard,
  timeoutMs: true,
  idleTimeoutMs: true,
  maxResponseBytes: true,
  fetch: true,
  onEvent: true,
  downloadOrigins: true,
  dangerouslyAllowBrowser: true,
  allowInsecureHttp: true,
  maxUsdPerPayment: true,
  networks: true,
  paceStore: true,
  payTo: true,
  reuse: true,
  store: true,
  validation: true,
}

/** The options of a call. */
export const callOptionNames: Names<FareboxCallOptions> = { signal: true, headers: true, timeoutMs: true, retry }
