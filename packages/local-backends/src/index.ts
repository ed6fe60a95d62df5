export { LocalBackendError, type LocalBackendErrorCode } from './local-backend-error.js'
export {
  createLocalSpeech,
  type LocalSpeech,
  type LocalSpeechOptions,
  type LocalSpeechPart,
  type LocalSpeechRequest,
} from './speech/local-speech.js'
export {
  createSpeechThread,
  type SpeechThread,
  type SpeechThreadOptions,
} from './speech/speech-thread.js'
export {
  createLocalVideo,
  type LocalVideo,
  type LocalVideoOptions,
  type LocalVideoOrder,
} from './video/local-video.js'
