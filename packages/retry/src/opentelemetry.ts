import type { CallEvent } from './events.js'

type Attributes = Record<string, string | number>

/** The part of `Meter` of `@opentelemetry/api` that is used. */
export type MeterLike = {
  createHistogram(name: string, options: { unit: string; description: string }): { record(value: number, attributes: Attributes): void }
  createCounter(name: string, options: { unit: string; description: string }): { add(value: number, attributes: Attributes): void }
}

/**
 * An `onEvent` that records metrics: `http.client.request.duration`, `farebox.client.retries`,
 * `farebox.client.waits` and `farebox.client.give_ups`. Spans are those of
 * `@farebox/middleware/tracing`, which also tells the server of them.
 */
export function openTelemetry({ meter }: { readonly meter: MeterLike }): (event: CallEvent | { readonly type: 'top-up' }) => void {
  const measure = instruments(meter)
  return (event) => {
    switch (event.type) {
      case 'response':
      case 'failure':
        return measure.duration.record(event.durationMs / 1000, { ...operationOf(event), ...endOf(event) })
      case 'retry':
        return measure.retries.add(1, { ...operationOf(event), 'farebox.retry.reason': event.reason })
      case 'wait':
        return measure.waits.add(1, { ...operationOf(event), 'farebox.wait.by': event.by, 'farebox.wait.source': event.source })
      case 'give-up':
        return measure.giveUps.add(1, { ...operationOf(event), 'farebox.give_up.reason': event.reason })
      case 'send':
      case 'top-up':
        // each is followed by an event that is counted
        return undefined
    }
  }
}

function endOf(event: Extract<CallEvent, { type: 'response' | 'failure' }>): Attributes {
  if (event.type === 'failure') return { 'error.type': event.reason }
  return { 'http.response.status_code': event.status, ...(event.status >= 400 && { 'error.type': String(event.status) }) }
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

function operationOf({ operation }: CallEvent): Attributes {
  return operation === undefined ? {} : { 'farebox.operation': operation }
}
