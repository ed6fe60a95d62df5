export {
  createLocalChat,
  type LocalChat,
  type LocalChatOptions,
  type LocalChatPiece,
  type LocalChatTask,
} from './chat/local-chat.js'
export type { Tokenizer } from './chat/write-reply.js'
export type { LocalChatRequest } from './chat/write-reply.js'
export { createLocalEmbedding, type LocalEmbedding } from './embedding/local-embedding.js'
export { createLocalImage, type LocalImage, type LocalImageTask } from './image/local-image.js'
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
export { createTaskThread, type TaskThread, type TaskThreadOptions } from './tasks/task-thread.js'
export {
  createLocalTranscription,
  type LocalTranscript,
  type LocalTranscription,
  type LocalTranscriptionTask,
} from './transcription/local-transcription.js'
export {
  createLocalVideo,
  type LocalVideo,
  type LocalVideoOptions,
  type LocalVideoOrder,
} from './video/local-video.js'
