import type { Lazy } from '../../platform/lazy.js'
import {
  serving,
  through,
  toRetryAfter,
  type RouteParts,
  type ThroughOptions,
} from '../../platform/upstream/route-parts.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import type { Capability, Work } from '../../platform/upstream/upstream-settings.js'
import { isTestModel } from '../models/test-models.js'
import { InferenceError, type InferenceBackend, type InferenceTask } from './inference-task.js'

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
        : !isTestModel(model) && serving(pool.members(), model).length > 0,
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
    /** The backend of this process, while no upstream is configured. */
    local: (): Backend | undefined => (isLocal() ? local?.get() : undefined),

    /** The parts of the first upstream that delivers. */
    ask: <Part>({ task, work, ...asked }: Asked<Client, Part>): AsyncIterable<Part> =>
      through(
        pool,
        {
          ...asked,
          capability,
          offline,
          work: { ...work, model: task.model },
          cost: task.cost,
          onServed: task.onServed,
        },
        parts,
      ),
  }
}

function offline(waitMs = Infinity): InferenceError {
  return new InferenceError(
    'busy',
    'The model is at capacity or offline. Try again later.',
    toRetryAfter(waitMs),
  )
}

/** The only part of work that is delivered at once. */
export async function onlyPart<Part>(parts: AsyncIterable<Part>): Promise<Part> {
  const found: Part[] = []
  for await (const part of parts) found.push(part)
  const [part] = found
  if (part === undefined) throw offline()
  return part
}
