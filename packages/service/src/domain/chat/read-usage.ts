import { isRecord } from '../../platform/unknown-value.js'
import type { TokenUsage } from './chat-backend.js'

/**
 * The tokens of a completion, as an upstream reports them in OpenAI's names, or in its own. Undefined
 * for an impossible usage.
 */
export function readUsage(value: unknown): TokenUsage | undefined {
  if (!isRecord(value)) return undefined
  const promptTokens = toCount(value['prompt_tokens'])
  const completionTokens = toCount(value['completion_tokens'])
  if (promptTokens === undefined || completionTokens === undefined) return undefined
  // of a server that does not count: every prompt has tokens
  if (promptTokens + completionTokens === 0) return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = value
  const cached = isRecord(prompt) ? prompt['cached_tokens'] : undefined
  // the fields of DeepSeek and of Moonshot
  const { prompt_cache_hit_tokens: hits, cached_tokens: ownCached } = value
  const cachedTokens = toCount(cached) ?? toCount(hits) ?? toCount(ownCached) ?? 0
  const reasoningTokens = toCount(isRecord(completion) ? completion['reasoning_tokens'] : undefined)
  // xAI counts them beside the completion, and its total shows that
  const isApart =
    reasoningTokens !== undefined &&
    value['total_tokens'] === promptTokens + completionTokens + reasoningTokens
  return {
    promptTokens,
    completionTokens: completionTokens + (isApart ? reasoningTokens : 0),
    cachedTokens: Math.min(cachedTokens, promptTokens),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

/** Undefined for anything but a whole number from 0. */
export function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
