import type * as LocalBackends from '@farebox/local-backends'
import {
  loadLocalBackends,
  NoLocalBackendsError,
  readLocalFault,
} from '../../platform/local-backends.js'
import { timeLimit } from '../../platform/time-limit.js'
import { noteOwnWork } from '../../platform/upstream/bills.js'
import { InferenceError } from './inference-error.js'
import type { InferenceBackend, InferenceTask } from './inference-task.js'

type Opened<Model> = { readonly model: Model; readonly thread: LocalBackends.TaskThread }

/** A local test model that is loaded when it is first needed, and what its backend is made of. */
export type LocalInference<Model> = {
  readonly backend: InferenceBackend
  /** The model, for a task that costs the operator nothing. Rejects with an InferenceError. */
  readonly begin: (task: InferenceTask) => Promise<Model>
}

export function createLocalInference<Model>(
  id: string,
  create: (
    backends: typeof LocalBackends,
    thread: LocalBackends.TaskThread,
  ) => Model | Promise<Model>,
): LocalInference<Model> {
  let opening: Promise<Opened<Model>> | undefined
  let opened: Opened<Model> | undefined

  const open = async (): Promise<Opened<Model>> => {
    const backends = await loadLocalBackends()
    const thread = backends.createTaskThread({ timeoutScale: timeLimit(1) })
    return { model: await create(backends, thread), thread }
  }
  const load = async () => (opened ??= await (opening ??= open()))

  return {
    backend: {
      describe: () => `embedded test model; model=${id}`,
      serves: (model) => model === id,
      load: () => opened?.thread.load() ?? { busy: 0, waiting: 0 },
      ready: async () => {
        try {
          await load()
        } catch (error) {
          // a service without the package does not have the model, and works otherwise
          if (!(error instanceof NoLocalBackendsError)) throw error
        }
      },
      close: async () => {
        const model = await opening?.catch(() => undefined)
        await model?.thread.close()
      },
    },

    begin: async ({ model, cost }) => {
      try {
        const loaded = await load()
        noteOwnWork(cost, model)
        return loaded.model
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}

/** What a local model failed with, for the caller. */
export function toInferenceError(error: unknown): unknown {
  const fault = readLocalFault(error)
  if (!fault) return error
  // nobody reads on
  const code = fault.code === 'unread' ? 'timeout' : fault.code
  return new InferenceError(code, fault.message, fault)
}
