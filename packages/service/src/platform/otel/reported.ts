import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import type { OnSent } from '../telemetry/telemetry.js'

/** What all exporters of OpenTelemetry have in common. */
type Exporter<Items> = { export: (items: Items, done: (result: ExportResult) => void) => void }

export type Report = <Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>) => E

/** Makes an exporter say when its sending begins to fail, and when it works again. */
export function reportingOn(signal: 'traces' | 'metrics', onSent: OnSent): Report {
  let isFailing = false
  return (exporter) => {
    const send = exporter.export.bind(exporter)
    exporter.export = (items, done) =>
      send(items, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS
        if (fails !== isFailing) onSent(signal, fails ? describeError(result.error) : undefined)
        isFailing = fails
        done(result)
      })
    return exporter
  }
}

/** A message of the collector could quote the request, and with it the headers. */
function describeError(error: Error | undefined): string {
  if (error === undefined) return 'there is no reason given'
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number'))
    return `the collector: ${error.code}`
  return error.name
}
