import type { Registry } from './registry.js'
import type { Span, SpanStart } from './spans.js'

/** The sending of a signal began to fail, with the reason, or works again, without one. */
export type OnSent = (signal: 'traces' | 'metrics', failure?: string) => void

/** Where traces and metrics go, beside the log and `/metrics`. */
export type Telemetry = {
  /**
   * Starts a span below that of the caller, whose headers name it, or a new trace. Undefined when
   * no traces are sent.
   */
  readonly startSpan: (start: SpanStart, caller?: Headers) => Span | undefined
  /** Sends these metrics from time to time, until `close`. */
  readonly sendMetrics: (metrics: Pick<Registry, 'collect'>) => void
  /** Sends the rest, for a limited time. Never rejects. */
  readonly close: () => Promise<void>
}
