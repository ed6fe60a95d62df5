import type { Model, ModelFilter } from '@farebox/types'
import { rateLimits } from '@farebox/types/operations'
import { describeSpeechModel, speechModels } from './speech-models.js'
import { describeVideoModel, videoModels } from './video-models.js'

/** Every model that the contract names, by id. */
export const catalogue: ReadonlyMap<string, Model> = new Map(
  [
    ...[...speechModels.values()].map(describeSpeechModel),
    ...[...videoModels.values()].map(describeVideoModel),
    ...Object.values(rateLimits.tiers).flatMap(({ models }) => models.map(describeTextModel)),
  ].map((model) => [model.id, model]),
)

/** The models of a type, those for code, or all. */
export function modelsOf(filter: ModelFilter): readonly Model[] {
  const models = [...catalogue.values()]
  if (filter === 'all') return models
  if (filter === 'code') return models.filter(({ model_spec }) => model_spec.traits?.includes('code') === true)
  return models.filter(({ type }) => type === filter)
}

/** Text models have a tier in the contract and no operation, so they are listed as offline. */
function describeTextModel(id: string): Model {
  return {
    id,
    object: 'model',
    type: 'text',
    owned_by: 'farebox',
    model_spec: {
      privacy: 'anonymized',
      offline: true,
      ...(id.includes('coder') && { traits: ['code'] }),
    },
  }
}
