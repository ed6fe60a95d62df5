import {
  readFetchFailure,
  toUpstreamFailure,
  lostResponse,
  type UpstreamFailure,
  type UpstreamFault,
  readStatedFault,
  readUpstreamFault,
} from '../../platform/upstream/upstream-failure.js'
import {
  type Work,
  type UpstreamSettings,
  removeTrailingSlashes,
} from '../../platform/upstream/upstream-settings.js'
import { readCost } from '../../platform/upstream/work-cost.js'
import type { UpstreamCall } from '../../platform/upstream/upstream-route.js'
import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'
import { createTracedFetch } from '../../platform/telemetry/spans.js'
import { InferenceError } from './inference.js'

/** Requests to a path of one upstream. Its faults are InferenceErrors. */
export type UpstreamPost = {
  /** The response, once its status is a success. Other errors are those of `fetch`. */
  readonly send: (body: object, call: UpstreamCall) => Promise<Response>
  /** Reports who serves the request, and the work that is billed, once it is known. */
  readonly report: (response: Response, call: UpstreamCall, work?: Work) => void
  /** A fault, in words for the log. */
  readonly failed: (what: string, failure?: UpstreamFailure) => InferenceError
  /** For the `error` in a response whose status is a success. Nothing was delivered before it. */
  readonly reject: (error: unknown) => InferenceError
  /** For a connection that was not made, or that broke off. */
  readonly lost: (error: unknown) => InferenceError
  readonly late: (milliseconds: number) => InferenceError
}

/** The URL of an upstream may end with the path, as documentation of servers often gives it. */
export function openPost(
  { capability, name, url: base, apiKey, cost }: UpstreamSettings,
  path: string,
  fetch: typeof globalThis.fetch,
): UpstreamPost {
  const post = createTracedFetch(fetch)
  const root = removeTrailingSlashes(base)
  const url = root.endsWith(path) ? root : `${root}${path}`
  const { host } = new URL(url)
  const title = capability.slice(0, 1).toUpperCase() + capability.slice(1)
  const trouble = (what: string) => `${title}: ${name} ${what}`
  const failed: UpstreamPost['failed'] = (what, failure = lostResponse) =>
    new InferenceError('failed', `The upstream ${what}.`, { trouble: trouble(what), failure })

  return {
    failed,
    reject: (error) => {
      // its text may quote the request
      const fault = readStatedFault(error, apiKey)
      return fault ? toError(fault) : failed('sent an error as a success')
    },
    lost: (error) =>
      new InferenceError('busy', 'The model cannot be reached. Try again later.', {
        cause: error,
        trouble: trouble('could not be reached, or its response was cut off'),
        failure: readFetchFailure(error),
      }),
    late: (milliseconds) =>
      new InferenceError('timeout', `The model gave nothing within ${milliseconds} ms.`, {
        trouble: trouble(`gave nothing within ${milliseconds} ms`),
        failure: lostResponse,
      }),

    send: async (body, { signal, key }) => {
      const isForm = body instanceof FormData
      const response = await post(url, {
        method: 'POST',
        headers: {
          ...(!isForm && { 'content-type': 'application/json' }),
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: isForm ? body : JSON.stringify(body),
        signal,
        // a redirect would get the key
        redirect: 'error',
      })
      await check(response)
      return response
    },

    report: ({ headers }, { onServed }, work) =>
      onServed({ capability, upstream: name, host, ...readCost(headers, cost.header) }, work),
  }

  async function check(response: Response): Promise<void> {
    const fault = await readUpstreamFault(response, apiKey)
    if (fault) throw toError(fault)
  }

  function toError(fault: UpstreamFault): InferenceError {
    const failure = toUpstreamFailure(fault)
    if (fault.kind === 'rejected') {
      const message = `The model does not take this request. ${fault.reason}`.trim()
      return new InferenceError('rejected', message, { failure })
    }
    if (fault.kind === 'failed')
      return failed(`returned ${fault.status}; check its key and its models`, failure)
    const { status, retryAfterSeconds } = fault
    return new InferenceError('busy', 'The model is at capacity or offline. Try again later.', {
      retryAfterSeconds,
      trouble: status === 429 ? undefined : trouble(`returned ${status}`),
      failure,
    })
  }
}

const maxBytes = 256 * 1024 * 1024

/** The response to one request as a JSON object, in time. `toWork` has what is billed for it. */
export async function postForJson(
  post: UpstreamPost,
  { timeouts: { firstByteMs } }: Pick<UpstreamSettings, 'timeouts'>,
  body: object,
  call: UpstreamCall,
  toWork?: (value: Readonly<Record<string, unknown>>) => Work | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const timeout = AbortSignal.timeout(firstByteMs)
  const signal = AbortSignal.any([call.signal, timeout])
  try {
    const response = await post.send(body, { ...call, signal })
    post.report(response, call)
    const bytes = await readBounded(response.body, maxBytes)
    if (!bytes) throw post.failed('sent a response that is too large')
    const value = parseRecord(bytes)
    if (!value) throw post.failed('did not send a JSON object')
    if (isRecord(value['error'])) throw post.reject(value['error'])
    const work = toWork?.(value)
    if (work) post.report(response, call, work)
    return value
  } catch (error) {
    if (timeout.aborted) throw post.late(firstByteMs)
    throw error instanceof InferenceError ? error : post.lost(error)
  }
}

function parseRecord(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
