import type { OperationId } from '@farebox/types/operations'
import { createApiKey } from './create-api-key.js'
import { changeApiKey, getApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './own-keys.js'
import { getRateLimits } from './get-rate-limits.js'
import { listRateLimitLogs } from './list-rate-limit-logs.js'
import { createChatCompletion } from './create-chat-completion.js'
import { createEmbedding } from './create-embedding.js'
import { createImage } from './create-image.js'
import { createTranscription } from './create-transcription.js'
import { createSpeech } from './create-speech.js'
import { createVoice } from './create-voice.js'
import { getBalance } from './get-balance.js'
import type { Handler } from '../contract/handler.js'
import { getModel } from './get-model.js'
import { listModels } from './list-models.js'
import { listTransactions } from './list-transactions.js'
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
