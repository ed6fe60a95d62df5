import { compose, sleep, type Send } from '@farebox/middleware'
import { cleanError } from './clean-error.js'
import { FareboxError } from './error.js'
import type { Farebox } from './farebox.js'
import { mediaOf } from './media-of.js'
import type { Methods } from './methods.js'
import type { Settings } from './options.js'
import type { Sending } from './sending.js'
import { generateVideo, type VideoTools } from './video.js'

// What needs a video. `create-farebox.ts` loads this file with `import()`, and nothing else has an
// import of it.

/** The method `generateVideo`. Its downloads have retries and timeouts, and no credentials. */
export function videoMethod(settings: Settings, sending: Sending, fetching: Send, methods: Methods): Farebox['generateVideo'] {
  const send = compose(fetching, [...sending.retryOf(), ...sending.request])
  const tools = { methods, send, ...fetchable(settings), now: Date.now, wait: sleep }
  return async (input, options) => {
    try {
      return mediaOf(await generateVideo(tools, input, options))
    } catch (error) {
      throw error instanceof FareboxError ? cleanError(error, sending.redact, options?.signal?.reason) : error
    }
  }
}

/** Which of the addresses that the service names may be fetched. */
function fetchable({ baseUrl, downloadOrigins = [baseUrl] }: Settings): Pick<VideoTools, 'mayFetch' | 'redirect'> {
  if (downloadOrigins === 'any') return { mayFetch: () => true, redirect: 'follow' }
  const origins = downloadOrigins.map((allowed) => new URL(allowed).origin)
  return { mayFetch: (url) => URL.canParse(url) && origins.includes(new URL(url).origin), redirect: 'manual' }
}
