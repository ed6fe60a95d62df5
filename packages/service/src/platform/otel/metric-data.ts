import { ValueType } from '@opentelemetry/api'
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import type { MetricFamily } from '../telemetry/registry.js'

/** In milliseconds since 1970. */
export type Interval = { readonly startedAt: number; readonly now: number }

/** The metrics of a registry as those of OpenTelemetry, with the same names and labels. */
export function toMetricData(families: readonly MetricFamily[], { startedAt, now }: Interval): MetricData[] {
  const times = { startTime: hrTime(startedAt), endTime: hrTime(now) }
  return families.map((family) => {
    const common = {
      // a unit would become a part of the name on the way to Prometheus
      descriptor: { name: family.name, description: family.help, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    }
    if (family.type === 'histogram') {
      const dataPoints = family.points.map(({ labels, counts, sum }) => {
        const buckets = { boundaries: [...family.bounds], counts: [...counts] }
        return { ...times, attributes: labels, value: { buckets, sum, count: counts.reduce((total, one) => total + one, 0) } }
      })
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
    }
    const dataPoints = family.points.map(({ labels, value }) => ({ ...times, attributes: labels, value }))
    if (family.type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
  })
}

function hrTime(milliseconds: number): [number, number] {
  return [Math.trunc(milliseconds / 1000), (milliseconds % 1000) * 1e6]
}
