/** How one signal is sent (OTLP over HTTP). */
export type OtlpProtocol = (typeof protocols)[number]

/** What the variables of OpenTelemetry ask for. A signal without a protocol is not sent. */
export type TelemetrySettings = {
  readonly traces: OtlpProtocol | undefined
  readonly metrics: OtlpProtocol | undefined
  /** Whether spans continue the trace of a caller, and tell upstreams of themselves. */
  readonly propagates: boolean
  /** Milliseconds between two sendings of metrics. */
  readonly metricsEveryMs: number
}

type Environment = Readonly<Record<string, string | undefined>>

const protocols = ['http/protobuf', 'http/json'] as const

/**
 * Reads the variables `OTEL_*` that decide what is sent. Undefined when nothing is: without an
 * endpoint, or with `OTEL_SDK_DISABLED=true`. The SDK itself reads the others. Throws a RangeError
 * for a value that is not supported.
 */
export function readTelemetrySettings(environment: Environment): TelemetrySettings | undefined {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined
  const traces = readProtocol('TRACES', environment)
  const metrics = readProtocol('METRICS', environment)
  if (traces === undefined && metrics === undefined) return undefined
  const [everyName, every] = [
    'OTEL_METRIC_EXPORT_INTERVAL',
    environment['OTEL_METRIC_EXPORT_INTERVAL'] || '60000',
  ]
  if (!/^[1-9]\d{0,8}$/.test(every))
    throw createUnsupportedError(everyName, every, 'milliseconds, such as 60000')
  const propagators = environment['OTEL_PROPAGATORS'] || 'tracecontext'
  return {
    traces,
    metrics,
    propagates: propagators.split(',').some((name) => name.trim() === 'tracecontext'),
    metricsEveryMs: Number(every),
  }
}

function readProtocol(
  signal: 'TRACES' | 'METRICS',
  environment: Environment,
): OtlpProtocol | undefined {
  const exporterName = `OTEL_${signal}_EXPORTER`
  const exporter = environment[exporterName] || 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw createUnsupportedError(exporterName, exporter, 'otlp or none')
  if (
    !(
      environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ||
      environment['OTEL_EXPORTER_OTLP_ENDPOINT']
    )
  )
    return undefined
  const names = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find((one) => environment[one])
  const given = name === undefined ? 'http/protobuf' : environment[name]
  const protocol = protocols.find((one) => one === given)
  if (protocol === undefined)
    throw createUnsupportedError(name ?? '', given ?? '', protocols.join(' or '))
  return protocol
}

function createUnsupportedError(name: string, found: string, form: string): RangeError {
  return new RangeError(`${name} is ${JSON.stringify(found)}; expected ${form}.`)
}
