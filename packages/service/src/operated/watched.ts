import type { Ledger } from '../ledger/ledger.js'
import type { PaymentBackend } from '../payments/payment-backend.js'
import type { SpeechBackend } from '../speech/speech-backend.js'
import type { TextParser } from '../text/text-parser.js'
import type { VideoBackend } from '../video/video-backend.js'
import type { BackendOutcome, Metrics } from './metrics.js'

type Told = Pick<Metrics, 'backendCall' | 'charged' | 'refunded'>

/** The same ledger, whose charges and refunds are counted. */
export function watchLedger(ledger: Ledger, { charged, refunded }: Told): Ledger {
  return {
    ...ledger,
    charge: async (charge) => {
      const result = await ledger.charge(charge)
      if (result.status === 'charged') charged(charge.amount)
      return result
    },
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

/** The same backend, whose texts are timed until their last byte. */
export function watchSpeech(speech: SpeechBackend, told: Told, now: () => number): SpeechBackend {
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
        throw error
      } finally {
        told.backendCall({ backend: 'speech', outcome, ms: now() - start })
      }
    },
  }
}

export function watchVideo(video: VideoBackend, told: Told, now: () => number): VideoBackend {
  return { ...video, render: (order, signal) => timed('video', () => video.render(order, signal), told, now, signal) }
}

export function watchText(parser: TextParser, told: Told, now: () => number): TextParser {
  return { ...parser, parse: (bytes) => timed('text', () => parser.parse(bytes), told, now) }
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
