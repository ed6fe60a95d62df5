import type { Model } from '@farebox/types'
import { modelVoices, prices } from '@farebox/types/operations'

/** Requirements of a recording, and the lifetime of the cloned voice. */
export type Cloning = {
  readonly formats: readonly ('mp3' | 'wav' | 'flac' | 'm4a')[]
  readonly minSampleSeconds: number
  readonly retentionDays: number
}

/** What an operator may set of a speech model. */
export type SpeechSettings = {
  /** Whether callers can use the model. */
  readonly enabled: boolean
  readonly name: string
  readonly usdPerMillionCharacters: number
  readonly voices: readonly string[]
  readonly defaultVoice: string
}

export type SpeechModel = Omit<SpeechSettings, 'enabled'> & {
  readonly id: string
  readonly supportsPromptParam: boolean
  readonly supportsTemperatureParam: boolean
  readonly supportsTopPParam: boolean
  readonly cloning?: Cloning
}

export type SpeechModelId = keyof typeof modelVoices

const names: Readonly<Record<SpeechModelId, string>> = {
  'tts-kokoro': 'Kokoro',
  'tts-qwen3-0-6b': 'Qwen 3 TTS 0.6B',
  'tts-qwen3-1-7b': 'Qwen 3 TTS 1.7B',
  'tts-xai-v1': 'xAI TTS v1',
  'tts-inworld-1-5-max': 'Inworld TTS 1.5 Max',
  'tts-chatterbox-hd': 'Chatterbox HD',
  'tts-orpheus': 'Orpheus',
  'tts-elevenlabs-turbo-v2-5': 'ElevenLabs Turbo v2.5',
  'tts-minimax-speech-02-hd': 'MiniMax Speech 02 HD',
  'tts-gemini-3-1-flash': 'Gemini 3.1 Flash TTS',
  'tts-gradium-v1': 'Gradium v1',
}

/** Models with voice cloning. The formats are from the contract, the other figures are our own. */
const cloning: Readonly<Partial<Record<SpeechModelId, Cloning>>> = {
  'tts-chatterbox-hd': {
    formats: ['mp3', 'wav', 'flac', 'm4a'],
    minSampleSeconds: 5,
    retentionDays: 7,
  },
  'tts-minimax-speech-02-hd': { formats: ['mp3', 'wav'], minSampleSeconds: 10, retentionDays: 7 },
}

/** The ids of the speech models that the contract has. */
export const speechModelIds = Object.keys(modelVoices) as readonly SpeechModelId[]

/** Every voice that the contract has. */
export const speechVoices: readonly string[] = [
  ...new Set(Object.values(modelVoices).flatMap(({ voices }): readonly string[] => voices)),
]

/** What the contract says of a speech model (`x-model-voices`, `x-prices`). */
export function readContractSpeech(id: SpeechModelId): SpeechSettings {
  const { voices, defaultVoice } = modelVoices[id]
  const usdPerMillionCharacters = prices.speechUsdPerMillionCharacters[id]
  return { enabled: true, name: names[id], usdPerMillionCharacters, voices, defaultVoice }
}

/** A speech model with these settings. What it can do is from the contract. */
export function toSpeechModel(
  id: SpeechModelId,
  { enabled: _enabled, ...settings }: SpeechSettings,
): SpeechModel {
  const { supportsPromptParam, supportsTemperatureParam, supportsTopPParam } = modelVoices[id]
  const learns = cloning[id]
  return {
    id,
    ...settings,
    supportsPromptParam,
    supportsTemperatureParam,
    supportsTopPParam,
    ...(learns && { cloning: learns }),
  }
}

/** The model as the API shows it. */
export function describeSpeechModel(model: SpeechModel): Model {
  const { id, name, voices, defaultVoice, usdPerMillionCharacters, cloning: learns } = model
  const { supportsPromptParam, supportsTemperatureParam, supportsTopPParam } = model
  return {
    id,
    object: 'model',
    type: 'tts',
    owned_by: 'farebox',
    model_spec: {
      name,
      privacy: 'private',
      pricing: { input: { usd: usdPerMillionCharacters } },
      voices: [...voices],
      default_voice: defaultVoice,
      ...(learns && {
        voice_cloning: {
          mode: 'zero_shot',
          accepted_formats: [...learns.formats],
          min_sample_seconds: learns.minSampleSeconds,
          retention_days: learns.retentionDays,
        },
      }),
      supportsPromptParam,
      supportsTemperatureParam,
      supportsTopPParam,
    },
  }
}
