import { modelVoices } from '@farebox/types/operations'

const { voices, defaultVoice, supportsPromptParam } = modelVoices['tts-kokoro']
console.log(voices.length, defaultVoice, supportsPromptParam)
