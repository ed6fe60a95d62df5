import type { CallEvent } from './events.js'

type Attributes = Record<string, string | number>

/** The part of `Span` of `@opentelemetry/api` that is used. */
export type SpanLike = {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

/** The part of `Tracer` of `@opentelemetry/api` that is used. */
export type TracerLike = { startSpan(name: string, options: { kind: number; attributes: Attributes }): SpanLike }

/** The part of `Meter` of `@opentelemetry/api` that is used. */
export type MeterLike = {
  createHistogram(name: string, options: { unit: string; description: string }): { record(value: number, attributes: Attributes): void }
  createCounter(name: string, options: { unit: string; description: string }): { add(value: number, attributes: Attributes): void }
}

export type OpenTelemetryOptions = { readonly tracer?: TracerLike; readonly meter?: MeterLike }

/** SpanKind.CLIENT and SpanStatusCode.ERROR of `@opentelemetry/api`. */
const client = 2
const failed = 2

/**
 * An `onEvent` that records spans and metrics. Each request is a span of kind CLIENT and a child of
 * the active span. The metrics are `http.client.request.duration`, `farebox.client.retries`,
 * `farebox.client.waits` and `farebox.client.give_ups`. Names and attributes follow the HTTP
 * semantic conventions. A repeated request carries the reason, the delay and its source.
 */
export function openTelemetry({ tracer, meter }: OpenTelemetryOptions): (event: CallEvent | { readonly type: 'top-up' }) => void {
  const measure = meter && instruments(meter)
  // requests in flight, the newest last; and why the next request of a call is a repeat
  const spans = new Map<string, SpanLike[]>()
  const repeats = new Map<number, Attributes>()

  const start = (event: Extract<CallEvent, { type: 'send' }>) => {
    const attributes = { ...requestOf(event), ...repeats.get(event.callId) }
    repeats.delete(event.callId)
    const span = tracer?.startSpan(event.operation ?? event.method, { kind: client, attributes })
    if (span === undefined) return
    const key = keyOf(event)
    spans.set(key, [...(spans.get(key) ?? []), span])
  }

  const end = (event: Extract<CallEvent, { type: 'response' | 'failure' }>) => {
    const key = keyOf(event)
    const [span, ...others] = spans.get(key) ?? []
    if (others.length > 0) spans.set(key, others)
    else spans.delete(key)
    const bad = event.type === 'failure' || event.status >= 400
    const result: Attributes = {
      ...(event.type === 'response' && { 'http.response.status_code': event.status }),
      ...(bad && { 'error.type': event.type === 'failure' ? event.reason : String(event.status) }),
    }
    span?.setAttributes(result)
    if (bad) span?.setStatus({ code: failed })
    span?.end()
    measure?.duration.record(event.durationMs / 1000, { ...operationOf(event), ...result })
  }

  return (event) => {
    switch (event.type) {
      case 'send':
        return start(event)
      case 'response':
      case 'failure':
        return end(event)
      case 'retry':
        repeats.set(event.callId, {
          'farebox.retry.reason': event.reason,
          'farebox.retry.delay_ms': event.delayMs,
          'farebox.retry.source': event.source,
        })
        return measure?.retries.add(1, { ...operationOf(event), 'farebox.retry.reason': event.reason })
      case 'wait':
        return measure?.waits.add(1, { ...operationOf(event), 'farebox.wait.by': event.by, 'farebox.wait.source': event.source })
      case 'give-up':
        repeats.delete(event.callId)
        return measure?.giveUps.add(1, { ...operationOf(event), 'farebox.give_up.reason': event.reason })
      case 'top-up':
        // an event of the SDK; the requests of a top-up have spans of their own
        return undefined
    }
  }
}

function instruments(meter: MeterLike) {
  const counter = (name: string, description: string) => meter.createCounter(`farebox.client.${name}`, { unit: '{event}', description })
  return {
    duration: meter.createHistogram('http.client.request.duration', { unit: 's', description: 'Duration until an answer begins.' }),
    retries: counter('retries', 'Attempts that followed a failed one.'),
    waits: counter('waits', 'Attempts that were held back.'),
    giveUps: counter('give_ups', 'Calls that were given up.'),
  }
}

function keyOf({ callId, attempt }: CallEvent): string {
  return `${callId} ${attempt}`
}

function operationOf({ operation }: CallEvent): Attributes {
  return operation === undefined ? {} : { 'farebox.operation': operation }
}

function requestOf(event: Extract<CallEvent, { type: 'send' }>): Attributes {
  const url = URL.canParse(event.url) ? new URL(event.url) : undefined
  return {
    ...operationOf(event),
    'http.request.method': event.method,
    'url.full': event.url,
    ...(url && { 'server.address': url.hostname, ...(url.port !== '' && { 'server.port': Number(url.port) }) }),
    ...(event.attempt > 1 && { 'http.request.resend_count': event.attempt - 1 }),
  }
}
