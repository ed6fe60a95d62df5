import {
  UpstreamError,
  type UpstreamErrorOptions,
} from '../../platform/upstream/upstream-failure.js'
import type { OnServed, Capability, Work } from '../../platform/upstream/upstream-settings.js'
import type { WorkCost } from '../../platform/upstream/work-cost.js'
import type { WorkerLoad } from '../../platform/workers/worker-pool.js'
import type { Lazy } from '../../platform/lazy.js'
import {
  findServing,
  routeCall,
  toRetryAfter,
  type RouteParts,
  type ThroughOptions,
} from '../../platform/upstream/upstream-route.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import { isTestModel } from '../models/test-models.js'

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
 * A failure of a backend of chat, embeddings, images or transcription. `rejected`: the request is at
 * fault. `busy`, `timeout`: a retry may succeed. The message is for the caller. With a `trouble`,
 * `failed` is not a crash.
 */
export class InferenceError extends UpstreamError {
  override readonly name = 'InferenceError'
  readonly code: 'rejected' | 'busy' | 'timeout' | 'failed'

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

type InferenceRequest<Client, Part> = Pick<
  ThroughOptions<Client, Part>,
  'ask' | 'isDelivery' | 'fields'
> & {
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
    ask: <Part>({ task, work, ...asked }: InferenceRequest<Client, Part>): AsyncIterable<Part> =>
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
