import { emptyResource, type Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader, type MetricProducer, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { Registry } from '../telemetry/registry.js'
import { toMetricData } from './metric-data.js'
import type { Report } from './reported.js'
import type { OtlpProtocol } from './telemetry-settings.js'

export type MetricsOptions = { readonly resource: Resource; readonly everyMs: number; readonly report: Report }

/** Sends the metrics of registries, under the names that `/metrics` shows. */
export async function openMetrics(protocol: OtlpProtocol, { resource, everyMs, report }: MetricsOptions) {
  const exporter: PushMetricExporter = report(await openExporter(protocol))
  const registries: Pick<Registry, 'collect'>[] = []
  const startedAt = Date.now()
  const producer: MetricProducer = {
    collect: async () => {
      const found = await Promise.all(registries.map(({ collect }) => collect()))
      const metrics = toMetricData(found.flat(), { startedAt, now: Date.now() })
      return {
        errors: [],
        resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: { name: '@farebox/service' }, metrics }] },
      }
    },
  }
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: everyMs, metricProducers: [producer] })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return {
    send: (registry: Pick<Registry, 'collect'>) => void registries.push(registry),
    close: () => provider.shutdown(),
  }
}

async function openExporter(protocol: OtlpProtocol): Promise<PushMetricExporter> {
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter()
  return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter()
}
