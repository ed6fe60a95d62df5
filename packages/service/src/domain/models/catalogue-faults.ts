import { nearest } from '@farebox/command-line'
import {
  completeCatalogue,
  contractSettings,
  requiredFields,
  type CatalogueOverrides,
  type CatalogueSettings,
} from './catalogue-settings.js'
import { ownVideo } from './video-models.js'

type CatalogueFault = { readonly path: readonly string[]; readonly message: string }

/** The contradictions between fields of a catalogue, each of which is valid by itself. */
export function findCatalogueFaults(overrides: CatalogueOverrides): readonly CatalogueFault[] {
  const settings = completeCatalogue(overrides)
  const { speech, tiers } = settings
  return [
    ...Object.entries(overrides.speech ?? {}).flatMap(([id, given]) => {
      const merged = speech[id]
      if (
        merged === undefined ||
        merged.voices.length === 0 ||
        merged.voices.includes(merged.defaultVoice)
      )
        return []
      const { voices, defaultVoice } = merged
      const message = `found the default voice ${defaultVoice}, expected one of the voices ${voices.join(', ')}. Set defaultVoice.`
      return [
        {
          path: ['speech', id, given.defaultVoice === undefined ? 'voices' : 'defaultVoice'],
          message,
        },
      ]
    }),
    ...Object.entries(overrides.video ?? {}).flatMap(([id, given]) =>
      findVideoFaults(id, given, [...Object.keys(speech), ...listTextModels(tiers)]),
    ),
    ...findRepeatedModels(overrides, tiers),
    ...findUnknownModels(overrides, settings),
    ...findNewModelFaults(overrides, settings),
  ]
}

type Video = NonNullable<CatalogueOverrides['video']>[string]
type Tiers = ReturnType<typeof completeCatalogue>['tiers']

const needed = ['name', 'input', 'usdPerSecond', 'durations'] as const

function findVideoFaults(
  id: string,
  given: Video,
  taken: readonly string[],
): readonly CatalogueFault[] {
  const at = (message: string, ...path: readonly string[]): CatalogueFault => ({
    path: ['video', id, ...path],
    message,
  })
  if (taken.includes(id))
    return [at('found the id of a model that makes no videos, expected another id.')]
  const known = ownVideo[id]
  if (known) {
    if (given.input === undefined || given.input === known.input) return []
    return [at(`found ${given.input}, expected ${known.input}: ${id} takes nothing else.`, 'input')]
  }
  if (given.input === 'video')
    return [
      at('found video, expected text, image or reference: no new model can upscale.', 'input'),
    ]
  const missing = needed.filter((name) => given[name] === undefined)
  if (missing.length === 0) return []
  const near = nearest(id, Object.keys(ownVideo))
  const advice = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
  return [
    at(
      `found a new model without ${missing.join(', ')}, expected ${missing.length === 1 ? 'it' : 'them'}.${advice}`,
    ),
  ]
}

function findRepeatedModels(
  { tiers: given }: CatalogueOverrides,
  tiers: Tiers,
): readonly CatalogueFault[] {
  return Object.entries(given ?? {}).flatMap(([name, { models = [] }]) =>
    models.flatMap((model, place) => {
      const other = Object.keys(tiers).find(
        (tier) => tier !== name && tiers[tier]?.models.includes(model) === true,
      )
      if (other === undefined) return []
      const message = `found ${model}, which is in the tier ${other} too, expected it in one. Give the models of ${other} without it.`
      return [{ path: ['tiers', name, 'models', String(place)], message }]
    }),
  )
}

/** Text models of tiers that have no price. */
function findUnknownModels(
  { tiers: given }: CatalogueOverrides,
  { text }: CatalogueSettings,
): readonly CatalogueFault[] {
  return Object.entries(given ?? {}).flatMap(([name, { models = [] }]) =>
    models.flatMap((model, place) => {
      if (Object.hasOwn(text, model)) return []
      const near = nearest(model, Object.keys(text))
      const advice = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
      const message = `found ${model}, expected a model of the contract or of \`text\`.${advice}`
      return [{ path: ['tiers', name, 'models', String(place)], message }]
    }),
  )
}

/** New models that lack a field or a tier, or whose id another kind of model has. */
function findNewModelFaults(
  overrides: CatalogueOverrides,
  settings: CatalogueSettings,
): readonly CatalogueFault[] {
  return newKinds.flatMap((kind) =>
    Object.entries(overrides[kind] ?? {}).flatMap(([id, given]) => {
      const at = (message: string) => [{ path: [kind, id], message }]
      const other = modelKinds.find((one) => one !== kind && Object.hasOwn(settings[one], id))
      if (other) return at(`found the id of a model of \`${other}\`, expected another id.`)
      if (Object.hasOwn(contractSettings[kind], id)) return []
      const missing = requiredFields[kind].filter((field) => !Object.hasOwn(given, field))
      if (missing.length > 0) {
        const near = nearest(id, Object.keys(contractSettings[kind]))
        const advice = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
        return at(
          `found a new model without ${missing.join(', ')}, expected ${missing.length === 1 ? 'it' : 'them'}.${advice}`,
        )
      }
      if (kind === 'text' && !listTextModels(settings.tiers).includes(id))
        return at('found a new model in no tier, expected it in the `models` of one of `tiers`.')
      return []
    }),
  )
}

const newKinds = Object.keys(requiredFields) as (keyof typeof requiredFields)[]
const modelKinds = ['speech', 'video', ...newKinds] as const

function listTextModels(tiers: Tiers): readonly string[] {
  return Object.values(tiers).flatMap(({ models }) => models)
}
