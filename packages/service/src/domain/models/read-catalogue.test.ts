import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CatalogueOverrides } from './catalogue-settings.js'
import { contractCatalogue } from './catalogue.js'
import { catalogueJsonSchema, createCatalogue, readCatalogue } from './read-catalogue.js'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'farebox-catalogue-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** The catalogue in a file with this text, or what is wrong with it. */
function read(text: string) {
  const file = join(folder, 'catalogue.json')
  writeFileSync(file, text)
  try {
    return readCatalogue(file)
  } catch (error) {
    return (error as Error).message.replaceAll(file, 'FILE')
  }
}

const newModel = {
  name: 'Harbour',
  input: 'text',
  usdPerSecond: 0.05,
  durations: ['5s', '10s'],
} as const

/** Each with the place, and with a part of what is said of it. */
const faulty: readonly (readonly [name: string, overrides: object, said: string])[] = [
  [
    'an unknown field',
    { speach: {} },
    '/speach: found the unknown field "speach". Did you mean "speech"?',
  ],
  [
    'an unknown speech model',
    { speech: { 'tts-kokora': {} } },
    '/speech/tts-kokora: found the unknown field "tts-kokora". Did you mean "tts-kokoro"?',
  ],
  [
    'an unknown field of a model',
    { speech: { 'tts-kokoro': { voice: [] } } },
    'Did you mean "voices"?',
  ],
  [
    'a voice that the contract lacks',
    { speech: { 'tts-kokoro': { voices: ['af_skye'] } } },
    '/speech/tts-kokoro/voices/0: found "af_skye". Did you mean "af_sky"?',
  ],
  [
    'no voices',
    { speech: { 'tts-kokoro': { voices: [] } } },
    'found 0 items, expected at least 1.',
  ],
  [
    'a voice twice',
    { speech: { 'tts-kokoro': { voices: ['af_sky', 'af_sky'] } } },
    'found an item twice',
  ],
  [
    'a default voice that is none of its own',
    { speech: { 'tts-orpheus': { defaultVoice: 'af_sky' } } },
    '/speech/tts-orpheus/defaultVoice: found the default voice af_sky, expected one of the voices leo, tara',
  ],
  [
    'voices without the default voice',
    { speech: { 'tts-orpheus': { voices: ['leo'] } } },
    '/speech/tts-orpheus/voices: found the default voice tara, expected one of the voices leo. Set defaultVoice.',
  ],
  [
    'a price below zero',
    { speech: { 'tts-kokoro': { usdPerMillionCharacters: -1 } } },
    'found -1, expected at least 0.',
  ],
  [
    'a price finer than a micro-USD',
    { operations: { parseText: { usdPerRequest: 0.0000001 } } },
    '/operations/parseText/usdPerRequest: found 1e-7, expected an amount with at most six decimals.',
  ],
  [
    'a price as a text',
    { video: { 'local-test-clip': { usdPerSecond: '0.1' } } },
    'found a string, expected a number.',
  ],
  [
    'an operation without a fixed price',
    { operations: { createSpeech: { usdPerRequest: 1 } } },
    'found the unknown field "createSpeech". Expected one of ',
  ],
  [
    'a new video model without its facts',
    { video: { harbour: { name: 'Harbour', input: 'text' } } },
    '/video/harbour: found a new model without usdPerSecond, durations, expected them.',
  ],
  [
    'a slip in the id of a video model',
    { video: { 'local-test-clap': { enabled: false } } },
    'Did you mean "local-test-clip"?',
  ],
  [
    'a new video model that upscales',
    { video: { harbour: { ...newModel, input: 'video' } } },
    'expected text, image or reference',
  ],
  [
    'another input of a known model',
    { video: { 'local-test-clip': { input: 'image' } } },
    'found image, expected text',
  ],
  [
    'the id of a speech model for videos',
    { video: { 'tts-kokoro': newModel } },
    '/video/tts-kokoro: found the id of a model that makes no videos',
  ],
  ['an id that no URL takes', { video: { 'a b': newModel } }, 'found no id of a model'],
  [
    'a duration that the contract lacks',
    { video: { 'local-test-clip': { durations: ['2m'] } } },
    '/video/local-test-clip/durations/0: found "2m".',
  ],
  ['a class of limits that is none', { limits: { audo: {} } }, 'Did you mean "audio"?'],
  [
    'no requests at all',
    { limits: { audio: { default: { requests: 0 } } } },
    'found 0, expected at least 1.',
  ],
  [
    'half of a limit',
    { tiers: { XS: { default: { requests: 5 } } } },
    '/tiers/XS/default/tokens: found nothing, expected a number.',
  ],
  [
    'a text model in two tiers',
    { tiers: { S: { models: ['qwen3-4b'] } } },
    '/tiers/S/models/0: found qwen3-4b, which is in the tier XS too',
  ],
]

describe("an operator's catalogue", () => {
  it('defaults to the contract', () => {
    expect(createCatalogue({}).settings).toEqual(contractCatalogue.settings)
  })

  it('is printed as a file that reproduces it', () => {
    const overrides: CatalogueOverrides = {
      speech: {
        'tts-orpheus': { voices: ['leo', 'mia'], defaultVoice: 'mia', usdPerMillionCharacters: 0 },
      },
      video: {
        harbour: { ...newModel, resolutions: ['480p', '720p'], priceFactors: { '480p': 0.6 } },
        'topaz-video-upscale': { enabled: false },
      },
      limits: { audio: { partner: { requests: 7 } } },
      tiers: { XS: { models: [] }, S: { models: ['qwen3-4b', 'mistral-31-24b'] } },
    }
    const { settings } = createCatalogue(overrides)
    expect(settings.video['harbour']?.priceFactors).toEqual({ '480p': 0.6, '720p': 1 })
    const again = read(JSON.stringify({ $schema: 'x', ...settings }))
    expect(again).toMatchObject({ settings })
  })

  it('can be read from YAML', () => {
    expect(read('speech:\n  tts-kokoro: { enabled: false }\n')).not.toHaveProperty(
      'speechModels.tts-kokoro',
    )
  })

  it('can be the file from the guide', () => {
    const file = fileURLToPath(
      new URL('../../../../docs/samples/service/catalogue.yml', import.meta.url),
    )
    expect(readCatalogue(file).videoModels.get('harbour-1')).toMatchObject({
      priceFactors: { '720p': 1, '1080p': 2 },
      asksConsent: false,
    })
  })

  it('reports all errors together, each with its line', () => {
    const text =
      '{\n  "speech": {\n    "tts-kokoro": { "enabled": 1 }\n  },\n  "limits": {\n    "audio": { "default": { "requests": 1.5 } }\n  }\n}'
    expect(read(text)).toBe(
      'FILE:3: /speech/tts-kokoro/enabled: found 1, expected true or false.\n' +
        'FILE:6: /limits/audio/default/requests: found 1.5, expected an integer.',
    )
  })

  it.each(faulty)('rejects %s', (_name, overrides, said) => {
    expect(read(JSON.stringify(overrides))).toContain(said)
    expect(() => createCatalogue(overrides as CatalogueOverrides)).toThrow(RangeError)
  })

  it('cannot be read from a file that is not there', () => {
    expect(() => readCatalogue(join(folder, 'none.json'))).toThrow(
      /none\.json: found no file that can be read \(ENOENT\), expected a catalogue/,
    )
  })
})

describe('the published schema', () => {
  it('names its parts, so that a new operation or model changes only its own lines', () => {
    const { $defs } = catalogueJsonSchema() as { readonly $defs: object }
    expect(Object.keys($defs).toSorted()).toEqual([
      'EmbeddingModel',
      'ImageModel',
      'Limit',
      'Operation',
      'SpeechModel',
      'TextModel',
      'Tier',
      'TranscriptionModel',
      'VideoModel',
      'Voice',
    ])
  })

  it('accepts the catalogue of the contract, and rejects typos', () => {
    const validate = new Ajv2020({ strict: false }).compile(catalogueJsonSchema())
    expect([validate(contractCatalogue.settings), validate.errors]).toEqual([true, null])
    expect(validate({ speech: { 'tts-kokora': {} } })).toBe(false)
    expect(validate({ speech: { 'tts-kokoro': { usdPerMillionCharacters: -1 } } })).toBe(false)
  })
})
