import {
  UpstreamError,
  type UpstreamErrorOptions,
  readFetchFailure,
  toUpstreamFailure,
  lostAnswer,
  type UpstreamFailure,
  readUpstreamFault,
} from '../../platform/upstream/upstream-failure.js'
import {
  type OnServed,
  type Capability,
  type Work,
  type UpstreamSettings,
  removeTrailingSlashes,
} from '../../platform/upstream/upstream-settings.js'
import { type WorkCost, readCost } from '../../platform/upstream/work-cost.js'
import type { WorkerLoad } from '../../platform/workers/worker-pool.js'
import type { Lazy } from '../../platform/lazy.js'
import {
  findServing,
  routeCall,
  toRetryAfter,
  type RouteParts,
  type ThroughOptions,
  type UpstreamCall,
} from '../../platform/upstream/upstream-route.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import { isTestModel } from '../models/test-models.js'
import { readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'
import { createTracedFetch } from '../../platform/telemetry/spans.js'

/** What the tasks of all backends of chat, embeddings, images and transcription have. */
export type InferenceTask = {
  readonly model: string
  /** The account that pays, for fair shares. It is not sent on. */
  readonly caller: string
  /** The Idempotency-Key for upstreams that honor one. */
  readonly key?: string
  /** Called when an upstream has accepted the task. */
  readonly onServed?: OnServed
  /** Collects what upstreams bill for the task. */
  readonly cost?: WorkCost
}

/** What the backends of chat, embeddings, images and transcription share. */
export type InferenceBackend = {
  /** For the header X-Farebox-Backend. With `host`, that of the upstream that serves the model. */
  readonly describe: (model: string, host?: string) => string
  /** Whether the backend serves the model. */
  readonly serves: (model: string) => boolean
  /** Without it, `/metrics` does not show the backend. */
  readonly load?: () => WorkerLoad
  /** Rejects when the backend cannot work. Without it the backend is always ready. */
  readonly ready?: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * A failure of a backend of chat, embeddings, images or transcription. `refused`: the request is at
 * fault. `busy`, `timeout`: a retry may succeed. The message is for the caller. With a `trouble`,
 * `failed` is not a crash.
 */
export class InferenceError extends UpstreamError {
  override readonly name = 'InferenceError'
  readonly code: 'refused' | 'busy' | 'timeout' | 'failed'

  constructor(code: InferenceError['code'], message: string, options?: UpstreamErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The upstreams of a capability, and the backend of this process that serves without any. */
export type InferenceSources<Backend, Client> = {
  readonly capability: Capability
  readonly pool: UpstreamPool<Client>
  readonly local: Lazy<Backend> | undefined
  readonly parts: RouteParts
}

type Asked<Client, Part> = Pick<ThroughOptions<Client, Part>, 'ask' | 'isDelivery' | 'fields'> & {
  readonly task: InferenceTask
  readonly work: Omit<Work, 'model'>
  readonly signal: AbortSignal
}

/** What the routes of chat, embeddings, images and transcription share. */
export function routeInference<Backend extends InferenceBackend, Client>({
  capability,
  pool,
  local,
  parts,
}: InferenceSources<Backend, Client>) {
  const isLocal = () => pool.members().length === 0
  const backend: InferenceBackend = {
    describe: (model, host) => {
      if (host !== undefined) return `upstream; host=${host}`
      return isLocal() && local ? local.get().describe(model) : 'upstream'
    },
    serves: (model) =>
      isLocal()
        ? (local?.get().serves(model) ?? false)
        : !isTestModel(model) && findServing(pool.members(), model).length > 0,
    load: () => local?.made()?.load?.() ?? { busy: 0, waiting: 0 },
    ready: async () => {
      if (isLocal()) await local?.get().ready?.()
    },
    close: async () => {
      await local?.made()?.close()
    },
  }
  return {
    backend,
    /** The backend of this process, if no upstream is configured. */
    local: (): Backend | undefined => (isLocal() ? local?.get() : undefined),

    /** The parts of the first upstream that delivers. */
    ask: <Part>({ task, work, ...asked }: Asked<Client, Part>): AsyncIterable<Part> =>
      routeCall(
        pool,
        {
          ...asked,
          capability,
          offline: createOfflineError,
          work: { ...work, model: task.model },
          cost: task.cost,
          onServed: task.onServed,
        },
        parts,
      ),
  }
}

function createOfflineError(waitMs = Infinity): InferenceError {
  return new InferenceError(
    'busy',
    'The model is at capacity or offline. Try again later.',
    toRetryAfter(waitMs),
  )
}

/** The only part of work that is delivered at once. */
export async function takeOnlyPart<Part>(parts: AsyncIterable<Part>): Promise<Part> {
  const found: Part[] = []
  for await (const part of parts) found.push(part)
  const [part] = found
  if (part === undefined) throw createOfflineError()
  return part
}

/** Requests to a path of one upstream. Its faults are InferenceErrors. */
export type UpstreamPost = {
  /** The response, once its status is a success. Other errors are those of `fetch`. */
  readonly send: (body: object, call: UpstreamCall) => Promise<Response>
  /** Reports who serves the request, and the work that is billed, once it is known. */
  readonly report: (response: Response, call: UpstreamCall, work?: Work) => void
  /** A fault, in words for the log. */
  readonly failed: (what: string, failure?: UpstreamFailure) => InferenceError
  /** For a connection that was not made, or that broke off. */
  readonly lost: (error: unknown) => InferenceError
  readonly late: (milliseconds: number) => InferenceError
}

export function openPost(
  { capability, name, url: base, apiKey, cost }: UpstreamSettings,
  path: string,
  fetch: typeof globalThis.fetch,
): UpstreamPost {
  const post = createTracedFetch(fetch)
  const url = `${removeTrailingSlashes(base)}${path}`
  const { host } = new URL(url)
  const title = capability.slice(0, 1).toUpperCase() + capability.slice(1)
  const trouble = (what: string) => `${title}: ${name} ${what}`
  const failed: UpstreamPost['failed'] = (what, failure = lostAnswer) =>
    new InferenceError('failed', `The upstream ${what}.`, { trouble: trouble(what), failure })

  return {
    failed,
    lost: (error) =>
      new InferenceError('busy', 'The model cannot be reached. Try again later.', {
        cause: error,
        trouble: trouble('could not be reached, or its response was cut off'),
        failure: readFetchFailure(error),
      }),
    late: (milliseconds) =>
      new InferenceError('timeout', `The model gave nothing within ${milliseconds} ms.`, {
        trouble: trouble(`gave nothing within ${milliseconds} ms`),
        failure: lostAnswer,
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
    if (!fault) return
    const failure = toUpstreamFailure(fault)
    if (fault.kind === 'refused') {
      const message = `The model does not take this request. ${fault.reason}`.trim()
      throw new InferenceError('refused', message, { failure })
    }
    if (fault.kind === 'failed')
      throw failed(`returned ${fault.status}; check its key and its models`, failure)
    const { status, retryAfterSeconds } = fault
    throw new InferenceError('busy', 'The model is at capacity or offline. Try again later.', {
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
