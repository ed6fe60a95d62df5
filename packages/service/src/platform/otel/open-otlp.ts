import { randomUUID } from 'node:crypto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { OnSent, Telemetry } from '../telemetry/telemetry.js'
import { timeLimit } from '../time-limit.js'
import { within } from '../within.js'
import { openMetrics } from './otlp-metrics.js'
import { openTraces } from './otlp-traces.js'
import { reportingOn } from './reported.js'
import type { TelemetrySettings } from './telemetry-settings.js'

/** For what is left at the end: a collector that hangs does not keep the process. */
const closeMs = 3_000

export async function openOtlp(
  { traces, metrics, propagates, metricsEveryMs }: TelemetrySettings,
  { version, onSent }: { readonly version: string; readonly onSent: OnSent },
): Promise<Telemetry> {
  const own = { 'service.name': 'farebox-service', 'service.version': version, 'service.instance.id': randomUUID() }
  const resource = resourceFromAttributes(own).merge(detectResources({ detectors: [envDetector] }))
  const tracing = traces && (await openTraces(traces, { resource, propagates, report: reportingOn('traces', onSent) }))
  const metering = metrics && (await openMetrics(metrics, { resource, everyMs: metricsEveryMs, report: reportingOn('metrics', onSent) }))
  return {
    startSpan: (start, caller) => tracing?.startSpan(start, caller),
    sendMetrics: (registry) => metering?.send(registry),
    close: async () => {
      const all = () => Promise.allSettled([tracing?.close(), metering?.close()])
      await within(timeLimit(closeMs), all).catch(() => undefined)
    },
  }
}
