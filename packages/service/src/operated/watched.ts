import type { Ledger } from '../ledger/ledger.js'
import type { PaymentBackend } from '../payments/payment-backend.js'
import { SpeechError, type SpeechBackend } from '../speech/speech-backend.js'
import type { TextParser } from '../text/text-parser.js'
import { VideoError, type VideoBackend } from '../video/video-backend.js'
import type { BackendOutcome, Metrics } from './metrics.js'

type Told = Pick<Metrics, 'backendCall' | 'charged' | 'refunded'>
type Backends = Told & {
  /** Another service is to blame: `what` it did. */
  readonly trouble: (upstream: 'speech' | 'video', what: string) => void
}

/** The same ledger, whose charges and refunds are counted. */
export function watchLedger(ledger: Ledger, { charged, refunded }: Told): Ledger {
  return {
    ...ledger,
    capture: async (holdId, amount, ...rest) => {
      const result = await ledger.capture(holdId, amount, ...rest)
      if (result.status === 'captured') charged(amount)
      return result
    },
    refund: async (entryId) => {
      const done = await ledger.refund(entryId)
      if (done) refunded()
      return done
    },
  }
}

/** The same backend, whose texts are timed until their last byte, and whose upstream's faults are told. */
export function watchSpeech(speech: SpeechBackend, told: Backends, now: () => number): SpeechBackend {
  return {
    ...speech,
    async *speak(request, signal) {
      const start = now()
      // a caller who goes ends the loop from outside, and nothing below it runs but `finally`
      let outcome: BackendOutcome = 'abandoned'
      try {
        yield* speech.speak(request, signal)
        if (!signal.aborted) outcome = 'ok'
      } catch (error) {
        if (!signal.aborted) outcome = 'failed'
        if (error instanceof SpeechError && error.trouble !== undefined) told.trouble('speech', error.trouble)
        throw error
      } finally {
        told.backendCall({ backend: 'speech', outcome, ms: now() - start })
      }
    },
  }
}

export function watchVideo(video: VideoBackend, told: Backends, now: () => number): VideoBackend {
  const render: VideoBackend['render'] = async (order, signal) => {
    try {
      return await timed('video', () => video.render(order, signal), told, now, signal)
    } catch (error) {
      if (error instanceof VideoError && error.trouble !== undefined) told.trouble('video', error.trouble)
      throw error
    }
  }
  return { ...video, render }
}

export function watchText(parser: TextParser, told: Told, now: () => number): TextParser {
  return { ...parser, parse: (bytes, caller) => timed('text', () => parser.parse(bytes, caller), told, now) }
}

export function watchPayments(payments: PaymentBackend, told: Told, now: () => number): PaymentBackend {
  return { ...payments, settle: (payment) => timed('payments', () => payments.settle(payment), told, now) }
}

async function timed<T>(backend: string, work: () => Promise<T>, told: Told, now: () => number, signal?: AbortSignal): Promise<T> {
  const start = now()
  let outcome: BackendOutcome = 'failed'
  try {
    const result = await work()
    outcome = 'ok'
    return result
  } finally {
    told.backendCall({ backend, outcome: outcome === 'failed' && signal?.aborted === true ? 'abandoned' : outcome, ms: now() - start })
  }
}
