import type { Model } from '@farebox/types'
import { modelVoices, prices } from '@farebox/types/operations'

/** Requirements of a recording, and the lifetime of the cloned voice. */
export type Cloning = {
  readonly formats: readonly ('mp3' | 'wav' | 'flac' | 'm4a')[]
  readonly minSampleSeconds: number
  readonly retentionDays: number
}

export type SpeechModel = {
  readonly id: string
  readonly name: string
  readonly voices: readonly string[]
  readonly defaultVoice: string
  readonly usdPerMillionCharacters: number
  readonly supportsPromptParam: boolean
  readonly supportsTemperatureParam: boolean
  readonly supportsTopPParam: boolean
  readonly cloning?: Cloning
}

type SpeechModelId = keyof typeof modelVoices

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
  'tts-chatterbox-hd': { formats: ['mp3', 'wav', 'flac', 'm4a'], minSampleSeconds: 5, retentionDays: 7 },
  'tts-minimax-speech-02-hd': { formats: ['mp3', 'wav'], minSampleSeconds: 10, retentionDays: 7 },
}

/** The speech models of the contract (`x-model-voices`, `x-prices`). */
export const speechModels: ReadonlyMap<string, SpeechModel> = new Map(
  (Object.keys(modelVoices) as SpeechModelId[]).map((id) => {
    const learns = cloning[id]
    const { voices, defaultVoice, supportsPromptParam, supportsTemperatureParam, supportsTopPParam } = modelVoices[id]
    const usdPerMillionCharacters = prices.speechUsdPerMillionCharacters[id]
    const facts = { id, name: names[id], voices, defaultVoice, usdPerMillionCharacters }
    return [id, { ...facts, supportsPromptParam, supportsTemperatureParam, supportsTopPParam, ...(learns && { cloning: learns }) }]
  }),
)

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
