import type { Model } from '@farebox/types'
import { prices } from '@farebox/types/operations'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import { testModels } from './test-models.js'

/** What an operator may set of a transcription model. */
export type TranscriptionSettings = {
  /** Whether callers can use the model. */
  readonly enabled: boolean
  readonly name: string
  readonly usdPerMinute: number
  /** The longest recording. */
  readonly maxSeconds: number
}

export type TranscriptionModel = TranscriptionSettings & { readonly id: string }

const names: Readonly<Record<keyof typeof prices.audioUsdPerMinute, string>> = {
  'nvidia/parakeet-tdt-0.6b-v3': 'Parakeet TDT 0.6B v3',
  'openai/whisper-large-v3': 'Whisper Large v3',
}

const usualSeconds = 4 * 3_600

/** The transcription models of the contract, and the embedded test model. */
export const contractTranscription: Readonly<Record<string, TranscriptionSettings>> = {
  ...Object.fromEntries(
    Object.entries(prices.audioUsdPerMinute).map(([id, usdPerMinute]) => [
      id,
      {
        enabled: true,
        name: names[id as keyof typeof names],
        usdPerMinute,
        maxSeconds: usualSeconds,
      },
    ]),
  ),
  [testModels.transcription]: {
    enabled: true,
    name: 'Test model for transcription',
    usdPerMinute: 0.006,
    maxSeconds: usualSeconds,
  },
}

/** The price of a recording of this length, to the millisecond, rounded up once. */
export function priceTranscription(
  { usdPerMinute }: TranscriptionSettings,
  seconds: number,
): MicroUsd {
  const milliseconds = BigInt(Math.ceil(seconds * 1_000 - 1e-6))
  return (milliseconds * toMicroUsd(usdPerMinute) + 59_999n) / 60_000n
}

/** The model as the API shows it. */
export function describeTranscriptionModel({ id, name, usdPerMinute }: TranscriptionModel): Model {
  return {
    id,
    object: 'model',
    type: 'asr',
    owned_by: 'farebox',
    model_spec: {
      name,
      privacy: 'private',
      pricing: { per_audio_minute: { usd: usdPerMinute } },
    },
  }
}
