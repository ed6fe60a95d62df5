import { createTracedFetch } from '../../platform/telemetry/spans.js'
import {
  readFetchFailure,
  toUpstreamFailure,
  lostResponse,
  readFaultInside,
  readUpstreamFault,
} from '../../platform/upstream/upstream-failure.js'
import {
  removeTrailingSlashes,
  type UpstreamSettings,
} from '../../platform/upstream/upstream-settings.js'
import { readCost } from '../../platform/upstream/work-cost.js'
import {
  SpeechError,
  type SpeechBackend,
  type SpeechRequest,
  type SpeechPart,
} from './speech-backend.js'
import type { UpstreamPool } from '../../platform/upstream/upstream-pool.js'
import type { Lazy } from '../../platform/lazy.js'
import {
  toRetryAfter,
  routeCall,
  type RouteParts,
  type UpstreamCall,
} from '../../platform/upstream/upstream-route.js'

export type UpstreamSpeechOptions = {
  /** Base URL of `/audio/speech`, such as `https://speech.example/v1`. */
  readonly url: string
  /** Bearer token for this upstream. */
  readonly apiKey?: string
  /** In the log. Default: `the upstream`. */
  readonly name?: string
  /** The upstream's own names of models and voices. */
  readonly modelNames?: Readonly<Record<string, string>>
  readonly voiceNames?: Readonly<Record<string, string>>
  /** A response header with the cost in USD. */
  readonly costHeader?: string
  /** Bytes of one response. Default: 256 MiB. */
  readonly maxBytes?: number
  /** Until the first byte of audio. Default: 30,000. */
  readonly firstByteMs?: number
  /** From one part of the audio to the next. Default: 30,000. */
  readonly idleMs?: number
  /** The upstream bills nothing before it delivers audio. Default: false. */
  readonly isFreeUntilAudio?: boolean
  readonly fetch?: typeof fetch
}

/**
 * Streams speech from a service with OpenAI's `/audio/speech`. Cancels the request when a timeout
 * expires, or when the caller disconnects after the upstream has accepted the text. Before that, it
 * waits for the response, since the operator may be billed for the text, and so the caller pays.
 * Its errors are mapped by `readUpstreamFault`, and their text is not logged, since it may quote the
 * request.
 */
export function createUpstreamSpeech(options: UpstreamSpeechOptions): SpeechBackend {
  const {
    apiKey,
    name = 'the upstream',
    costHeader,
    firstByteMs = 30_000,
    idleMs = 30_000,
    isFreeUntilAudio = false,
  } = options
  const { maxBytes = 256 * 1024 * 1024 } = options
  const send = createTracedFetch(options.fetch)
  const url = toEndpoint(options.url)
  const { host } = new URL(url)
  const running = new Set<AbortController>()

  return {
    describe: ({ voice }) => `upstream; host=${host}; voice=${voice}`,

    async *speak(request, signal) {
      if (signal.aborted) return
      const stop = new AbortController()
      let mayStop = isFreeUntilAudio
      const abort = () => mayStop && stop.abort()
      signal.addEventListener('abort', abort, { once: true })
      running.add(stop)
      const characters = Array.from(request.text).length
      let late: SpeechError | undefined
      const failAfter = (milliseconds: number, what: string) =>
        setTimeout(() => {
          const trouble = `Speech: ${name} gave ${what} within ${milliseconds} ms`
          late = new SpeechError(
            'timeout',
            `The speech model gave ${what} within ${milliseconds} ms.`,
            { trouble, failure: lostResponse },
          )
          stop.abort()
        }, milliseconds)
      let timer = failAfter(firstByteMs, 'no audio')
      try {
        const response = await send(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
            ...(request.key !== undefined && { 'idempotency-key': request.key }),
          },
          body: JSON.stringify(toRequestBody(request, options)),
          signal: stop.signal,
          // a redirect would get the key
          redirect: 'error',
        })
        await check(response, name, apiKey)
        request.onServed?.({
          capability: 'speech',
          upstream: options.name ?? host,
          host,
          ...readCost(response.headers, costHeader),
        })
        // the upstream has accepted the whole text, and charges the operator for all of it
        mayStop = true
        yield { bytes: new Uint8Array(0), made: characters }
        if (signal.aborted) return
        let length = 0
        for await (const bytes of response.body ?? []) {
          if (bytes.byteLength === 0) continue
          clearTimeout(timer)
          if (length === 0 && isText(bytes, request.format))
            throw createResponseError(name, 'responded with text in place of audio')
          length += bytes.byteLength
          if (length > maxBytes) throw createResponseError(name, `gave more than ${maxBytes} bytes`)
          yield { bytes, made: characters }
          timer = failAfter(idleMs, 'nothing more')
        }
        if (length === 0) throw createResponseError(name, 'responded 200 without audio')
      } catch (error) {
        if (late) throw late
        if (error instanceof SpeechError) throw error
        if (signal.aborted) return
        const trouble = `Speech: ${name} could not be reached, or its response was cut off`
        const failure = readFetchFailure(error)
        throw new SpeechError('busy', 'The speech model cannot be reached. Try again later.', {
          cause: error,
          trouble,
          failure,
        })
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
function toRequestBody(
  { text, model, voice, format, speed, language, prompt, temperature, topP }: SpeechRequest,
  { modelNames = {}, voiceNames = {} }: UpstreamSpeechOptions,
): object {
  return {
    model: modelNames[model] ?? model,
    input: text,
    voice: voiceNames[voice] ?? voice,
    response_format: format,
    speed,
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { instructions: prompt }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
  }
}

/** Throws unless the response is audio. */
async function check(response: Response, name: string, apiKey: string | undefined): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  const fault =
    (await readUpstreamFault(response, apiKey)) ??
    (type.includes('json') ? await readFaultInside(response, apiKey) : undefined)
  if (fault) {
    const failure = toUpstreamFailure(fault)
    if (fault.kind === 'rejected')
      throw new SpeechError(
        'rejected',
        `The speech model does not take this request. ${fault.reason}`.trim(),
        { failure },
      )
    if (fault.kind === 'failed')
      throw createResponseError(
        name,
        `returned ${fault.status}; check its key, its models and its voices`,
        failure,
      )
    const { status, retryAfterSeconds } = fault
    const trouble = status === 429 ? undefined : `Speech: ${name} returned ${status}`
    throw new SpeechError('busy', 'The speech model is at capacity or offline. Try again later.', {
      retryAfterSeconds,
      trouble,
      failure,
    })
  }
  if (/json|text\/|html/.test(type))
    throw createResponseError(
      name,
      `responded with ${/^[\w.+/-]{1,60}/.exec(type)?.[0] ?? 'text'} in place of audio`,
    )
}

/** Whether it is JSON or a page, sent under the media type of audio. Samples may look like both. */
function isText(beginning: Uint8Array, format: SpeechRequest['format']): boolean {
  return (
    format !== 'pcm' && /^\s*[{[<]/.test(Buffer.from(beginning.subarray(0, 64)).toString('latin1'))
  )
}

/** A 200 without audio may be billed. */
function createResponseError(name: string, what: string, failure = lostResponse): SpeechError {
  return new SpeechError('failed', `The speech upstream ${what}.`, {
    trouble: `Speech: ${name} ${what}`,
    failure,
  })
}

function toEndpoint(text: string): string {
  const url = new URL(text)
  const path = removeTrailingSlashes(url.pathname)
  url.pathname = path.endsWith('/audio/speech') ? path : `${path}/audio/speech`
  return url.href
}

/** Speech of one upstream. */
export function openSpeech(settings: UpstreamSettings, send: typeof fetch): SpeechBackend {
  const { name, url, apiKey, modelNames, voiceNames, cost, timeouts, repeat } = settings
  return createUpstreamSpeech({
    name,
    url,
    ...(apiKey !== undefined && { apiKey }),
    ...(cost.header !== undefined && { costHeader: cost.header }),
    modelNames,
    voiceNames,
    firstByteMs: timeouts.firstByteMs,
    idleMs: timeouts.idleMs,
    isFreeUntilAudio: repeat === 'free',
    fetch: send,
  })
}

/**
 * Speech of the upstreams that serve the model, or of the local backend while no upstream of speech
 * is configured. Another upstream is asked only before the first byte.
 */
export function createRoutedSpeech(
  pool: UpstreamPool<SpeechBackend>,
  local: Lazy<SpeechBackend>,
  parts: RouteParts,
): SpeechBackend {
  const isLocal = () => pool.members().length === 0
  return {
    describe: (request, host) => {
      if (host !== undefined) return `upstream; host=${host}; voice=${request.voice}`
      return isLocal() ? local.get().describe(request) : `upstream; voice=${request.voice}`
    },

    speak: (request, signal) =>
      isLocal() ? local.get().speak(request, signal) : routeSpeech(request, signal),

    rejectLate: async (request) => {
      if (isLocal()) await local.get().rejectLate?.(request)
    },
    load: () => local.made()?.load?.() ?? { busy: 0, waiting: 0 },
    ready: async () => {
      if (isLocal()) await local.get().ready?.()
    },
    close: async () => {
      await Promise.all([local.made()?.close(), ...pool.clients().map((client) => client.close())])
    },
  }

  function routeSpeech(request: SpeechRequest, signal: AbortSignal): AsyncIterable<SpeechPart> {
    const { model, text, cost, onServed } = request
    const work = { model, characters: Array.from(text).length }
    const requestSpeech = (client: SpeechBackend, { signal: stop, ...call }: UpstreamCall) =>
      client.speak({ ...request, ...call }, stop)
    const isDelivery = ({ bytes }: SpeechPart) => bytes.byteLength > 0
    return routeCall(
      pool,
      {
        capability: 'speech',
        work,
        cost,
        signal,
        onServed,
        ask: requestSpeech,
        isDelivery,
        offline: createOfflineError,
      },
      parts,
    )
  }
}

function createOfflineError(waitMs: number): SpeechError {
  return new SpeechError(
    'busy',
    'The speech model is at capacity or offline. Try again later.',
    toRetryAfter(waitMs),
  )
}
