import { UsageError } from '@farebox/command-line'
import { openTelemetry } from '../platform/otel/open-telemetry.js'
import type { Log } from '../platform/telemetry/log.js'
import type { Telemetry } from '../platform/telemetry/telemetry.js'
import { program } from './settings/program.js'

/** The telemetry that the environment asks for. Rejects with a UsageError. */
export async function serveTelemetry({ telemetry: onSent }: Log): Promise<Telemetry | undefined> {
  try {
    return await openTelemetry({ version: program.version, onSent })
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  }
}
