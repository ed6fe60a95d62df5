import { isClientGone } from '../contract/failures.js'
import type { ChatBackend } from '../domain/chat/chat-backend.js'
import type { EmbeddingBackend } from '../domain/embedding/embedding.js'
import type { ImageBackend } from '../domain/image/image.js'
import type { Ledger } from '../domain/ledger/ledger.js'
import { toUsd, type MicroUsd } from '../domain/ledger/money.js'
import { createLocalSpeech } from '../domain/local/local-backends.js'
import { createMediaReader, type MediaReader } from '../domain/media/media-reader.js'
import { type Catalogue, findCapability } from '../domain/models/catalogue.js'
import type { PaymentBackend } from '../domain/payments/payment-backend.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import { createTextParser, type TextParser } from '../domain/text/text-parser.js'
import type { TranscriptionBackend } from '../domain/transcription/transcription.js'
import type { VideoBackend } from '../domain/video/video-backend.js'
import type { BackendOutcome, Metrics } from '../platform/telemetry/metrics.js'
import { runInSpan, wrapInSpans, streamInSpan } from '../platform/telemetry/spans.js'
import { UpstreamError } from '../platform/upstream/upstream-failure.js'
import type { Capability } from '../platform/upstream/upstream-settings.js'
import { createUpstreams, type Upstreams } from './create-upstreams.js'
import type { Observers } from './observers.js'
import type { ServiceOptions } from './service-options.js'

type Recorder = Pick<Metrics, 'backendCall' | 'charged' | 'refunded'>
type Backends = Recorder & {
  /** Reports the fault of an upstream. */
  readonly trouble: (upstream: Capability, what: string) => void
}

/** Counts charges and refunds. When traced, each call has a span. */
export function instrumentLedger(
  untraced: Ledger,
  { charged, refunded }: Recorder,
  catalogue: Catalogue,
  isTraced: boolean,
): Ledger {
  const ledger = isTraced ? wrapInSpans('ledger', untraced) : untraced
  const count = (amount: MicroUsd, model: string | null, cost: MicroUsd | null) => {
    const labels =
      model === null
        ? { capability: 'none', model: 'none' }
        : { capability: findCapability(catalogue, model), model }
    charged({ ...labels, usd: toUsd(amount), ...(cost !== null && { costUsd: toUsd(cost) }) })
  }
  return {
    ...ledger,
    capture: async (holdId, amount, model = null, idempotency, cost = null) => {
      const result = await ledger.capture(holdId, amount, model, idempotency, cost)
      if (result.status === 'captured') count(amount, model, cost)
      return result
    },
    chargePayment: async (payment, work) => {
      const isNew = await ledger.chargePayment(payment, work)
      if (isNew) count(payment.amount, work.modelId, work.cost)
      return isNew
    },
    writeOff: async (debt, work, correction) => {
      const entry = await ledger.writeOff(debt, work, correction)
      if (entry !== undefined) count(debt.amount, work.modelId, work.cost)
      return entry
    },
    refund: async (entryId) => {
      const done = await ledger.refund(entryId)
      if (done) refunded()
      return done
    },
    refundCharge: async (entryId, amount, correction) => {
      const result = await ledger.refundCharge(entryId, amount, correction)
      if (result.status === 'done') refunded()
      return result
    },
  }
}

/** Measures each text until its last byte, and reports faults of the upstream. */
function instrumentSpeech(
  speech: SpeechBackend,
  recorder: Backends,
  now: () => number,
): SpeechBackend {
  const { rejectLate } = speech
  return {
    ...speech,
    ...(rejectLate && {
      rejectLate: async (request) => {
        try {
          await rejectLate(request)
        } catch (error) {
          if (error instanceof UpstreamError && error.trouble !== undefined)
            recorder.trouble('speech', error.trouble)
          throw error
        }
      },
    }),
    speak: (request, signal) =>
      measureStream('speech', () => speech.speak(request, signal), recorder, now, signal),
  }
}

function instrumentInference(
  { chat, embedding, image, transcription }: Upstreams,
  recorder: Backends,
  now: () => number,
): Pick<Workers, 'chat' | 'embedding' | 'image' | 'transcription'> {
  return {
    chat: {
      ...chat,
      complete: (task, signal) =>
        measureStream('chat', () => chat.complete(task, signal), recorder, now, signal),
    },
    embedding: {
      ...embedding,
      embed: (task, signal) =>
        measureWork('embedding', () => embedding.embed(task, signal), recorder, now, signal),
    },
    image: {
      ...image,
      // it may change with the upstreams
      get formats() {
        return image.formats
      },
      generate: (task, signal) =>
        measureWork('image', () => image.generate(task, signal), recorder, now, signal),
    },
    transcription: {
      ...transcription,
      transcribe: (task, signal) =>
        measureWork(
          'transcription',
          () => transcription.transcribe(task, signal),
          recorder,
          now,
          signal,
        ),
    },
  }
}

/** Like `measureWork`, for work that is delivered in parts. */
function measureStream<Part>(
  backend: Capability,
  work: () => AsyncIterable<Part>,
  recorder: Backends,
  now: () => number,
  signal: AbortSignal,
): AsyncIterable<Part> {
  async function* measured(): AsyncGenerator<Part> {
    const start = now()
    // only `finally` runs when the caller disconnects
    let outcome: BackendOutcome = 'abandoned'
    try {
      yield* work()
      if (!signal.aborted) outcome = 'ok'
    } catch (error) {
      if (!signal.aborted && !isClientGone(error)) outcome = 'failed'
      if (error instanceof UpstreamError && error.trouble !== undefined)
        recorder.trouble(backend, error.trouble)
      throw error
    } finally {
      recorder.backendCall({ backend, outcome, ms: now() - start })
    }
  }
  return streamInSpan({ name: `backend ${backend}` }, measured)
}

export function instrumentVideo(
  video: VideoBackend,
  recorder: Backends,
  now: () => number,
): VideoBackend {
  return {
    // it may change with the upstreams
    get name() {
      return video.name
    },
    render: (order, signal) =>
      measureWork('video', () => video.render(order, signal), recorder, now, signal),
  }
}

function instrumentText(parser: TextParser, recorder: Backends, now: () => number): TextParser {
  return {
    ...parser,
    parse: (...document) => measureWork('text', () => parser.parse(...document), recorder, now),
  }
}

export function instrumentPayments(
  payments: PaymentBackend,
  recorder: Recorder,
  now: () => number,
): PaymentBackend {
  return {
    ...payments,
    settle: (payment, bought) =>
      measureWork('payments', () => payments.settle(payment, bought), recorder, now),
  }
}

/** Measures work, and reports the fault of an upstream. */
async function measureWork<T>(
  backend: Capability | 'payments',
  work: () => Promise<T>,
  { backendCall, trouble }: Recorder & Partial<Backends>,
  now: () => number,
  signal?: AbortSignal,
): Promise<T> {
  const start = now()
  let outcome: BackendOutcome = 'failed'
  try {
    const result = await runInSpan({ name: `backend ${backend}` }, work)
    outcome = 'ok'
    return result
  } catch (error) {
    if (signal?.aborted === true) outcome = 'abandoned'
    if (backend !== 'payments' && error instanceof UpstreamError && error.trouble !== undefined)
      trouble?.(backend, error.trouble)
    throw error
  } finally {
    backendCall({ backend, outcome, ms: now() - start })
  }
}

/** The parts that work in threads. */
export type Workers = {
  readonly textParser: TextParser
  readonly media: MediaReader
  readonly speech: SpeechBackend
  readonly chat: ChatBackend
  readonly embedding: EmbeddingBackend
  readonly image: ImageBackend
  readonly transcription: TranscriptionBackend
}

/** Starts the threads, or takes those of the options. Each part has to be closed. */
export function startWorkers(
  options: ServiceOptions,
  { metrics, trouble }: Observers,
  ticks: () => number,
): Workers {
  const { upstreams } = options
  return {
    textParser: instrumentText(
      options.textParser ?? upstreams?.textParser ?? createTextParser(),
      { ...metrics, trouble },
      ticks,
    ),
    media: createMediaReader(),
    speech: instrumentSpeech(
      options.speech ?? upstreams?.speech ?? createLocalSpeech(),
      { ...metrics, trouble },
      ticks,
    ),
    ...instrumentInference(
      upstreams ?? createUpstreams([], { local: options.local }),
      { ...metrics, trouble },
      ticks,
    ),
  }
}
