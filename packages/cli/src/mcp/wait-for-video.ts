import type { Farebox, QueuedVideo } from 'farebox'
import type { CallOptions } from './protocol-server.js'

/**
 * Waits for a queued video and returns it, unread. The progress is in seconds since the call, as it
 * has to grow with each notification (Model Context Protocol, progress).
 */
export function waitForVideo(
  farebox: Pick<Farebox, 'generateVideo'>,
  video: QueuedVideo,
  { signal, onProgress }: CallOptions,
): Promise<Response> {
  const start = performance.now()
  return farebox.generateVideo(video, {
    signal,
    onProgress: (step) => {
      const progress = (performance.now() - start) / 1000
      if (step.stage === 'downloading') onProgress?.({ progress, message: `downloading: ${step.receivedBytes} bytes` })
      if (step.stage !== 'processing') return
      const total = progress + Math.max(0, step.averageMs - step.elapsedMs) / 1000
      onProgress?.({ progress, message: step.status.toLowerCase(), ...(total > progress && { total }) })
    },
  })
}
