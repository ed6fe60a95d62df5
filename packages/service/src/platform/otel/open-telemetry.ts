import type { OnSent, Telemetry } from '../telemetry/spans.js'
import { readTelemetrySettings } from './telemetry-settings.js'

export type TelemetryOptions = {
  /** The variables `OTEL_*`. Default: those of the process, of which the SDK reads further ones. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The version of the program that sends. */
  readonly version?: string | undefined
  /**
   * Called when sending begins to fail, and when it works again. No request waits for it, and what
   * cannot be sent is dropped.
   */
  readonly onSent?: OnSent
}

/**
 * Sends traces and metrics over OTLP/HTTP, as the standard variables of OpenTelemetry say. The SDK
 * is loaded only when `OTEL_EXPORTER_OTLP_ENDPOINT`, or that of a signal, is set: otherwise this
 * resolves to undefined. Rejects with a RangeError for a variable with a value that is not
 * supported.
 */
export async function openTelemetry({
  environment = process.env,
  version = '',
  onSent = () => undefined,
}: TelemetryOptions = {}): Promise<Telemetry | undefined> {
  const settings = readTelemetrySettings(environment)
  if (settings === undefined) return undefined
  const { openOtlp } = await import('./otlp.js')
  return openOtlp(settings, { version, onSent })
}
