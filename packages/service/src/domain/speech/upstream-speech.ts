import { upstreamFault } from '../../platform/upstream/upstream-fault.js'
import { withoutSlashes } from '../../platform/upstream/without-slashes.js'
import { SpeechError, type SpeechBackend, type SpeechRequest } from './speech-backend.js'

export type UpstreamSpeechOptions = {
  /** Base URL of `/audio/speech`, such as `https://speech.example/v1`. */
  readonly url: string
  /** Bearer token for this upstream alone. */
  readonly apiKey?: string
  /** Until the first byte of audio. Default: 30,000. */
  readonly firstByteMs?: number
  /** From one part of the audio to the next. Default: 30,000. */
  readonly idleMs?: number
  readonly fetch?: typeof fetch
}

/**
 * Streams speech from a service with OpenAI's `/audio/speech`. Cancels the request when the caller
 * disconnects or a timeout expires. Its errors are mapped by `upstreamFault`, and their text is not
 * logged, since it may quote the request.
 */
export function createUpstreamSpeech(options: UpstreamSpeechOptions): SpeechBackend {
  const { apiKey, firstByteMs = 30_000, idleMs = 30_000, fetch: send = fetch } = options
  const url = endpointOf(options.url)
  const { host } = new URL(url)
  const running = new Set<AbortController>()

  return {
    describe: ({ voice }) => `upstream; host=${host}; voice=${voice}`,

    async *speak(request, signal) {
      const stop = new AbortController()
      const abort = () => stop.abort()
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) stop.abort()
      running.add(stop)
      let late: SpeechError | undefined
      const within = (milliseconds: number, what: string) =>
        setTimeout(() => {
          const trouble = `Speech: the upstream gave ${what} within ${milliseconds} ms`
          late = new SpeechError('timeout', `The speech model gave ${what} within ${milliseconds} ms.`, { trouble })
          stop.abort()
        }, milliseconds)
      let timer = within(firstByteMs, 'no audio')
      try {
        const response = await send(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
          body: JSON.stringify(bodyOf(request)),
          signal: stop.signal,
          // a redirect would get the key
          redirect: 'error',
        })
        await check(response, apiKey)
        // the upstream has accepted the text, and will charge for it
        yield new Uint8Array(0)
        let length = 0
        for await (const bytes of response.body ?? []) {
          if (bytes.byteLength === 0) continue
          clearTimeout(timer)
          length += bytes.byteLength
          yield bytes
          timer = within(idleMs, 'nothing more')
        }
        if (length === 0) throw failed('answered 200 without audio')
      } catch (error) {
        if (late) throw late
        if (error instanceof SpeechError) throw error
        if (signal.aborted) return
        const trouble = 'Speech: the upstream could not be reached, or its answer broke off'
        throw new SpeechError('busy', 'The speech model cannot be reached. Try again later.', { cause: error, trouble })
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        running.delete(stop)
        stop.abort()
      }
    },

    close: async () => {
      for (const stop of running) stop.abort()
    },
  }
}

/** The request in OpenAI's names. */
function bodyOf({ text, model, voice, format, speed, language, prompt, temperature, topP }: SpeechRequest): object {
  return {
    model,
    input: text,
    voice,
    response_format: format,
    speed,
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { instructions: prompt }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
  }
}

/** Throws unless the response is audio. */
async function check(response: Response, apiKey: string | undefined): Promise<void> {
  const fault = await upstreamFault(response, apiKey)
  if (fault?.kind === 'refused') throw new SpeechError('refused', `The speech model does not take this request. ${fault.reason}`.trim())
  if (fault?.kind === 'failed') throw failed(`answered ${fault.status}; look at its key, its models and its voices`)
  if (fault) {
    const { status, retryAfterSeconds } = fault
    const trouble = status === 429 ? undefined : `Speech: the upstream answered ${status}`
    throw new SpeechError('busy', 'The speech model is at capacity or offline. Try again later.', { retryAfterSeconds, trouble })
  }
  const type = response.headers.get('content-type') ?? ''
  if (/json|text\/|html/.test(type)) throw failed(`answered with ${/^[\w.+/-]{1,60}/.exec(type)?.[0] ?? 'text'} in place of audio`)
}

function failed(what: string): SpeechError {
  return new SpeechError('failed', `The speech upstream ${what}.`, { trouble: `Speech: the upstream ${what}` })
}

function endpointOf(text: string): string {
  const url = new URL(text)
  const path = withoutSlashes(url.pathname)
  url.pathname = path.endsWith('/audio/speech') ? path : `${path}/audio/speech`
  return url.href
}
