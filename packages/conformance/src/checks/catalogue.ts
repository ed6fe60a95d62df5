import type { Model, ModelList } from '@farebox/types'
import type { Check } from '../subject.js'
import { must, SkipError } from '../check.js'

const rule = 'GET /models, GET /models/{id}'

/** Models, and the headers of every response. */
export const catalogue: readonly Check[] = [
  {
    id: 'models.list',
    title: 'the list of models names each one once',
    rule,
    run: async ({ probe }) => {
      const { data } = (await probe.call('listModels', 200)).json as ModelList
      const ids = data.map(({ id }) => id)
      must(ids.length > 0, 'at least one model', 'none')
      must(
        new Set(ids).size === ids.length,
        'each id once',
        ids.filter((id, at) => ids.indexOf(id) !== at),
      )
    },
  },
  {
    id: 'models.type',
    title: 'a list by type contains only models of that type',
    rule,
    run: async ({ probe }) => {
      const { data } = (await probe.call('listModels', 200, { query: { type: 'tts' } }))
        .json as ModelList
      must(
        data.every(({ type }) => type === 'tts'),
        'models of the type tts',
        data.map(({ id, type }) => `${id} ${type}`),
      )
    },
  },
  {
    id: 'models.one',
    title: 'a listed model can be read by its id',
    rule,
    run: async ({ probe }) => {
      const { data } = (await probe.call('listModels', 200)).json as ModelList
      const [first] = data
      if (first === undefined) throw new SkipError('there are no models')
      const model = (await probe.call('getModel', 200, { path: { id: first.id } })).json as Model
      must(model.id === first.id, `the model ${first.id}`, model.id)
    },
  },
  {
    id: 'models.unknown',
    title: 'an unknown model is 404',
    rule,
    run: async ({ probe }) =>
      void (await probe.call('getModel', 404, { path: { id: 'farebox-verify-no-such-model' } })),
  },
  {
    id: 'models.voices',
    title: 'speech models list their voices, including the default one',
    rule: 'POST /audio/speech: GET /models/{id} lists the voices of one model',
    run: async ({ probe }) => {
      const { data } = (await probe.call('listModels', 200, { query: { type: 'tts' } }))
        .json as ModelList
      const [speaker] = data
      if (speaker === undefined) throw new SkipError('there are no speech models')
      const { model_spec: spec } = (await probe.call('getModel', 200, { path: { id: speaker.id } }))
        .json as Model
      const { voices = [], default_voice } = spec
      must(voices.length > 0, `voices of ${speaker.id}`, 'none')
      must(
        default_voice === undefined || voices.includes(default_voice),
        'the default voice among the voices',
        default_voice,
      )
    },
  },
  {
    id: 'headers.limits',
    title: 'responses have the six x-ratelimit headers, as whole numbers',
    rule: 'Limits: rate-limit response headers (on every response)',
    run: async ({ probe }) => {
      const responses = [await probe.call('listModels', 200), await probe.call('topUp', 402)]
      for (const { headers } of responses) {
        for (const what of ['limit', 'remaining', 'reset'].flatMap((word) => [
          `${word}-requests`,
          `${word}-tokens`,
        ])) {
          const value = headers.get(`x-ratelimit-${what}`)
          must(
            value !== null && /^\d+$/.test(value),
            `x-ratelimit-${what} with a whole number`,
            value ?? 'no such header',
          )
        }
      }
    },
  },
]
