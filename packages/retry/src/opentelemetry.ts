import type { CallEvent } from './events.js'

type Attributes = Record<string, string | number>

/** The part of `Meter` of `@opentelemetry/api` that this module uses. */
export type MeterLike = {
  createHistogram(
    name: string,
    options: { unit: string; description: string },
  ): { record(value: number, attributes: Attributes): void }
  createCounter(
    name: string,
    options: { unit: string; description: string },
  ): { add(value: number, attributes: Attributes): void }
}

/**
 * An `onEvent` that records metrics: `http.client.request.duration`, `farebox.client.retries`,
 * `farebox.client.waits` and `farebox.client.give_ups`. For spans, use `tracing` of
 * `@farebox/middleware`, which also propagates them to the server.
 *
 * @example
 * ```ts
 * import { metrics } from '@opentelemetry/api'
 * const onEvent = openTelemetry({ meter: metrics.getMeter('farebox') })
 * ```
 */
export function openTelemetry({
  meter,
}: {
  readonly meter: MeterLike
}): (event: CallEvent | { readonly type: 'top-up' }) => void {
  const { duration, retries, waits, giveUps } = createInstruments(meter)
  return (event) => {
    switch (event.type) {
      case 'response':
      case 'failure':
        return duration.record(event.durationMs / 1000, {
          ...createOperationAttributes(event),
          ...createResultAttributes(event),
        })
      case 'retry':
        return retries.add(1, {
          ...createOperationAttributes(event),
          'farebox.retry.reason': event.reason,
        })
      case 'wait':
        return waits.add(1, {
          ...createOperationAttributes(event),
          'farebox.wait.by': event.by,
          'farebox.wait.source': event.source,
        })
      case 'give-up':
        return giveUps.add(1, {
          ...createOperationAttributes(event),
          'farebox.give_up.reason': event.reason,
        })
      case 'send':
      case 'top-up':
        // each is followed by an event that is recorded
        return undefined
    }
  }
}

function createResultAttributes(
  event: Extract<CallEvent, { type: 'response' | 'failure' }>,
): Attributes {
  if (event.type === 'failure') return { 'error.type': event.reason }
  return {
    'http.response.status_code': event.status,
    ...(event.status >= 400 && { 'error.type': String(event.status) }),
  }
}

function createInstruments(meter: MeterLike) {
  const counter = (name: string, description: string) =>
    meter.createCounter(`farebox.client.${name}`, { unit: '{event}', description })
  return {
    duration: meter.createHistogram('http.client.request.duration', {
      unit: 's',
      description: 'Time until the response begins.',
    }),
    retries: counter('retries', 'Attempts after a failed one.'),
    waits: counter('waits', 'Attempts that were held back.'),
    giveUps: counter('give_ups', 'Calls that failed for good.'),
  }
}

function createOperationAttributes({ operation }: CallEvent): Attributes {
  return operation === undefined ? {} : { 'farebox.operation': operation }
}
