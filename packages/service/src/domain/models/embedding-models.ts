import type { Model } from '@farebox/types'
import { prices } from '@farebox/types/operations'
import { toMicroUsd, type MicroUsd, sumPricesPerMillion } from '../ledger/money.js'
import { testModels } from './test-models.js'

/** What an operator may set of an embedding model. */
export type EmbeddingSettings = {
  /** Whether callers can use the model. */
  readonly enabled: boolean
  readonly name: string
  readonly usdPerMillionTokens: number
  /** Of one input. */
  readonly maxInputTokens: number
  /** Length of the vectors. */
  readonly dimensions: number
  /** Whether callers may ask for shorter vectors. */
  readonly takesDimensions: boolean
}

export type EmbeddingModel = EmbeddingSettings & { readonly id: string }

type Figures = Omit<EmbeddingSettings, 'enabled' | 'usdPerMillionTokens'>

/** The contract has the prices. These figures are those of the makers of the models. */
const figures: Readonly<Record<keyof typeof prices.embeddingUsdPerMillionTokens, Figures>> = {
  'text-embedding-bge-m3': {
    name: 'BGE M3',
    maxInputTokens: 8_192,
    dimensions: 1_024,
    takesDimensions: false,
  },
  'text-embedding-3-small': {
    name: 'Text Embedding 3 Small',
    maxInputTokens: 8_192,
    dimensions: 1_536,
    takesDimensions: true,
  },
  'text-embedding-3-large': {
    name: 'Text Embedding 3 Large',
    maxInputTokens: 8_192,
    dimensions: 3_072,
    takesDimensions: true,
  },
}

/** The embedding models of the contract, and the embedded test model. */
export const contractEmbedding: Readonly<Record<string, EmbeddingSettings>> = {
  ...Object.fromEntries(
    Object.entries(prices.embeddingUsdPerMillionTokens).map(([id, usdPerMillionTokens]) => [
      id,
      { enabled: true, usdPerMillionTokens, ...figures[id as keyof typeof figures] },
    ]),
  ),
  [testModels.embedding]: {
    enabled: true,
    name: 'Test model for embeddings',
    usdPerMillionTokens: 0.02,
    maxInputTokens: 8_192,
    dimensions: 256,
    takesDimensions: true,
  },
}

export function priceEmbedding(
  { usdPerMillionTokens }: EmbeddingSettings,
  tokens: number,
): MicroUsd {
  return sumPricesPerMillion([[tokens, toMicroUsd(usdPerMillionTokens)]])
}

/** The model as the API shows it. */
export function describeEmbeddingModel(model: EmbeddingModel): Model {
  const { id, name, maxInputTokens, dimensions, takesDimensions, usdPerMillionTokens } = model
  return {
    id,
    object: 'model',
    type: 'embedding',
    owned_by: 'farebox',
    model_spec: {
      name,
      privacy: 'private',
      maxInputTokens,
      embeddingDimensions: dimensions,
      supportsCustomDimensions: takesDimensions,
      pricing: { input: { usd: usdPerMillionTokens } },
    },
  }
}
