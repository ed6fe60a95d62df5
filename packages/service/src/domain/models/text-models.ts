import type { Model } from '@farebox/types'
import { prices, rateLimits } from '@farebox/types/operations'
import { toMicroUsd, type MicroUsd, sumPricesPerMillion } from '../ledger/money.js'
import { testModels } from './test-models.js'

/** What an operator may set of a text model. Without a tier, callers cannot use it. */
export type TextSettings = {
  readonly name: string
  readonly usdPerMillionInputTokens: number
  /** Of the prompt, for tokens that the backend read from a cache. */
  readonly usdPerMillionCachedInputTokens: number
  readonly usdPerMillionOutputTokens: number
  /** Of prompt and completion together. */
  readonly contextTokens: number
  /** Of one completion at most. */
  readonly maxCompletionTokens: number
  /** The most tokens of an image in the prompt. Without it, the model takes no images. */
  readonly tokensPerImage?: number
  /** The most tokens of a second of audio in the prompt. Without it, the model takes no audio. */
  readonly tokensPerAudioSecond?: number
  /** The most tokens of a second of video in the prompt. Without it, the model takes no videos. */
  readonly tokensPerVideoSecond?: number
}

export type TextModel = TextSettings & { readonly id: string; readonly tier: string }

/** Tokens of one request. */
type TokenCounts = {
  readonly promptTokens: number
  /** Those of `promptTokens` that were read from a cache. */
  readonly cachedTokens: number
  readonly completionTokens: number
}

type Figures = readonly [name: string, contextTokens: number, tokensPerImage?: number]

/** The contract has the prices. These figures are our own. */
const figures: Readonly<Record<keyof typeof prices.textUsdPerMillionTokens, Figures>> = {
  'qwen3-4b': ['Qwen 3 4B', 32_768],
  'llama-3.2-3b': ['Llama 3.2 3B', 131_072],
  'mistral-31-24b': ['Mistral Small 3.1 24B', 131_072, 4_096],
  'venice-uncensored': ['Venice Uncensored', 32_768],
  'zai-org-glm-5': ['GLM 5', 198_000],
  'qwen3-next-80b': ['Qwen 3 Next 80B', 262_144],
  'google-gemma-3-27b-it': ['Gemma 3 27B', 131_072, 1_024],
  'qwen3-235b-a22b-instruct-2507': ['Qwen 3 235B Instruct', 131_072],
  'qwen3-235b-a22b-thinking-2507': ['Qwen 3 235B Thinking', 131_072],
  'deepseek-ai-DeepSeek-R1': ['DeepSeek R1', 131_072],
  'grok-41-fast': ['Grok 4.1 Fast', 262_144, 4_096],
  'kimi-k2-thinking': ['Kimi K2 Thinking', 262_144],
  'gemini-3-pro-preview': ['Gemini 3 Pro Preview', 198_000, 4_096],
  'hermes-3-llama-3.1-405b': ['Hermes 3 Llama 3.1 405B', 131_072],
  'qwen3-coder-480b-a35b-instruct': ['Qwen 3 Coder 480B', 262_144],
  'zai-org-glm-4.7': ['GLM 4.7', 198_000],
  'openai-gpt-oss-120b': ['GPT OSS 120B', 131_072],
}

const usualCompletion = 16_384

/** The text models of the contract, and the embedded test model. */
export const contractText: Readonly<Record<string, TextSettings>> = {
  ...Object.fromEntries(
    Object.entries(prices.textUsdPerMillionTokens).map(([id, { input, cachedInput, output }]) => {
      const [name, contextTokens, tokensPerImage] = figures[id as keyof typeof figures]
      return [
        id,
        {
          name,
          usdPerMillionInputTokens: input,
          usdPerMillionCachedInputTokens: cachedInput,
          usdPerMillionOutputTokens: output,
          contextTokens,
          maxCompletionTokens: usualCompletion,
          ...(tokensPerImage !== undefined && { tokensPerImage }),
        },
      ]
    }),
  ),
  [testModels.chat]: {
    name: 'Test model for chat',
    usdPerMillionInputTokens: 0.1,
    usdPerMillionCachedInputTokens: 0.05,
    usdPerMillionOutputTokens: 0.4,
    contextTokens: 32_768,
    maxCompletionTokens: 4_096,
    tokensPerImage: 256,
    tokensPerAudioSecond: 25,
    tokensPerVideoSecond: 256,
  },
}

/** The tiers of the contract. The embedded test model is in the one with the most requests. */
export const contractTiers = {
  ...rateLimits.tiers,
  XS: { ...rateLimits.tiers.XS, models: [...rateLimits.tiers.XS.models, testModels.chat] },
}

/** The price of tokens: an exact sum, rounded up to a micro-USD once. */
export function priceTokens(model: TextSettings, counts: TokenCounts): MicroUsd {
  const { promptTokens, cachedTokens, completionTokens } = counts
  const cached = Math.min(cachedTokens, promptTokens)
  return sumPricesPerMillion([
    [promptTokens - cached, toMicroUsd(model.usdPerMillionInputTokens)],
    [cached, toMicroUsd(model.usdPerMillionCachedInputTokens)],
    [completionTokens, toMicroUsd(model.usdPerMillionOutputTokens)],
  ])
}

/** The model as the API shows it. */
export function describeTextModel(model: TextModel): Model {
  const { id, name, contextTokens, maxCompletionTokens } = model
  return {
    id,
    object: 'model',
    type: 'text',
    owned_by: 'farebox',
    context_length: contextTokens,
    model_spec: {
      name,
      privacy: 'private',
      availableContextTokens: contextTokens,
      maxCompletionTokens,
      capabilities: {
        supportsFunctionCalling: true,
        supportsResponseSchema: true,
        supportsVision: model.tokensPerImage !== undefined,
        supportsAudioInput: model.tokensPerAudioSecond !== undefined,
        supportsVideoInput: model.tokensPerVideoSecond !== undefined,
      },
      pricing: {
        input: { usd: model.usdPerMillionInputTokens },
        cache_input: { usd: model.usdPerMillionCachedInputTokens },
        output: { usd: model.usdPerMillionOutputTokens },
      },
    },
  }
}
