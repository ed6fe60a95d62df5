import type { OperationId } from '@farebox/types/operations'
import type { Handler } from '../contract/handler.js'
import { createChatCompletion } from './create-chat-completion.js'
import { createEmbedding } from './create-embedding.js'
import { createImage } from './create-image.js'
import { createSpeech } from './create-speech.js'
import { createTranscription } from './create-transcription.js'
import { createVoice } from './create-voice.js'
import { getBalance, listTransactions } from './get-balance.js'
import { getRateLimits, listRateLimitLogs } from './get-rate-limits.js'
import { getModel, listModels } from './list-models.js'
import {
  createApiKey,
  changeApiKey,
  getApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './own-keys.js'
import { parseText } from './parse-text.js'
import { queueVideo } from './queue-video.js'
import { quoteVideo } from './quote-video.js'
import { retrieveVideo } from './retrieve-video.js'
import { topUp } from './top-up.js'

/** Every operation of the contract. A missing one does not compile. */
export const handlers: { readonly [Id in OperationId]: Handler<Id> } = {
  topUp,
  getBalance,
  listTransactions,
  parseText,
  createSpeech,
  createVoice,
  createTranscription,
  createChatCompletion,
  createEmbedding,
  createImage,
  quoteVideo,
  queueVideo,
  retrieveVideo,
  listModels,
  getModel,
  createApiKey,
  listApiKeys,
  getApiKey,
  changeApiKey,
  rotateApiKey,
  revokeApiKey,
  getRateLimits,
  listRateLimitLogs,
}
