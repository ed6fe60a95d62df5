import type { LocalVideo } from '@farebox/local-backends'
import { loadLocalBackends, readLocalFault } from '../../platform/local-backends.js'
import { timeLimit } from '../../platform/time.js'
import { noteOwnWork } from '../../platform/upstream/work-cost.js'
import { bytesOfDataUrl } from '../media/data-url.js'
import { VideoError, type VideoBackend } from '../video/video-backend.js'

/** Title cards of the local renderer, which is loaded when it is first needed. */
export function createLocalVideo(): VideoBackend {
  let opening: Promise<LocalVideo> | undefined
  return {
    name: 'embedded test model; renderer=title-card',

    render: async (order, signal) => {
      const url = order.media.find(({ role }) => role === 'video')?.url
      try {
        const local = await (opening ??= openRenderer())
        noteOwnWork(order.cost, order.model.id)
        return await local.render(
          { ...order, video: url === undefined ? undefined : bytesOfDataUrl(url) },
          signal,
        )
      } catch (error) {
        const fault = readLocalFault(error)
        throw fault ? new VideoError(fault.message, fault) : error
      }
    },
  }
}

async function openRenderer(): Promise<LocalVideo> {
  const backends = await loadLocalBackends()
  return backends.createLocalVideo({ timeoutMs: timeLimit(120_000) })
}
