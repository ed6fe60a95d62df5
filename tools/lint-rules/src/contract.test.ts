import { beforeAll, describe, expect, it } from 'vitest'
import { openContract, readSpecFile } from '../test/contract.js'
import type { At } from '../test/contract.js'

let at: At

beforeAll(async () => {
  at = await openContract()
})

const findSchema = (name: string, ...path: readonly (string | number)[]) =>
  at('components', 'schemas', name, ...path)
const listKeys = (value: unknown) => Object.keys(value as object)

/**
 * The operations of the interface specification: method, path, operationId, security and statuses.
 * The contract may have more.
 */
const operations = [
  [
    'get',
    '/x402/transactions/{walletAddress}',
    'listTransactions',
    [{ siwx: [] }],
    '200 400 401 403 429 500 503',
  ],
  [
    'post',
    '/audio/speech',
    'createSpeech',
    [{ BearerAuth: [] }, { siwx: [] }],
    '200 400 401 402 403 409 415 429 500 503',
  ],
  ['post', '/api_keys', 'createApiKey', [{ BearerAuth: [] }], '200 400 401 403 409 429 500 503'],
  [
    'post',
    '/augment/text-parser',
    'parseText',
    [{ BearerAuth: [] }, { siwx: [] }],
    '200 400 401 402 403 409 413 429 500 503',
  ],
  [
    'post',
    '/video/queue',
    'queueVideo',
    [{ BearerAuth: [] }, { siwx: [] }],
    '200 400 401 402 403 409 413 422 429 500 503',
  ],
  ['post', '/x402/top-up', 'topUp', [{}], '200 400 402 409 429 500 503 504'],
  [
    'get',
    '/x402/balance/{walletAddress}',
    'getBalance',
    [{ siwx: [] }],
    '200 400 401 403 429 500 503',
  ],
  [
    'post',
    '/audio/voices',
    'createVoice',
    [{ BearerAuth: [] }, { siwx: [] }],
    '200 400 401 402 403 409 413 415 429 500 503',
  ],
  ['get', '/models/{id}', 'getModel', [{}, { BearerAuth: [] }], '200 401 404 429 500 503'],
  ['get', '/models', 'listModels', [{}, { BearerAuth: [] }], '200 400 401 429 500 503'],
  ['post', '/video/quote', 'quoteVideo', [{}, { BearerAuth: [] }], '200 400 401 403 429 500 503'],
  [
    'post',
    '/video/retrieve',
    'retrieveVideo',
    [{ BearerAuth: [] }, { siwx: [] }],
    '200 400 401 402 403 404 422 429 500 503',
  ],
  ['get', '/api_keys/rate_limits', 'getRateLimits', [{ BearerAuth: [] }], '200 401 429 500 503'],
  [
    'get',
    '/api_keys/rate_limits/log',
    'listRateLimitLogs',
    [{ BearerAuth: [] }],
    '200 401 429 500 503',
  ],
] as const

describe('the service', () => {
  it('has the operations of the interface specification, with their security and statuses', () => {
    const found = operations.map(([method, path]) => [
      method,
      path,
      at('paths', path, method, 'operationId'),
      at('paths', path, method, 'security'),
      listKeys(at('paths', path, method, 'responses')).join(' '),
    ])

    expect(found).toEqual(operations)
  })

  it('marks as provisional all operations but the five that the interface specification describes completely', () => {
    const complete = operations.filter(
      ([method, path]) => at('paths', path, method, 'x-provisional') === false,
    )

    expect(complete.map(([, , id]) => id)).toEqual([
      'listTransactions',
      'createSpeech',
      'createApiKey',
      'parseText',
      'queueVideo',
    ])
  })

  it('has nine areas', () => {
    const names = (at('tags') as readonly { readonly name: string }[]).map(({ name }) => name)

    expect(names).toEqual([
      'Audio',
      'Chat',
      'Models',
      'Image',
      'Video',
      'Characters',
      'Billing',
      'Crypto RPC',
      'x402',
    ])
  })

  it('is OpenAPI 3.2 below /api/v1, with a bearer token by default and a signed header beside it', () => {
    expect(at('openapi')).toBe('3.2.0')
    expect(at('servers', 0, 'url')).toBe('{origin}/api/v1')
    expect(at('security')).toEqual([{ BearerAuth: [] }])
    expect(at('components', 'securitySchemes', 'BearerAuth')).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    })
    expect(at('components', 'securitySchemes', 'siwx')).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'SIGN-IN-WITH-X',
    })
  })

  it('returns the remaining wallet balance wherever something may be charged', () => {
    const paths = at('paths') as Readonly<Record<string, object>>
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      listKeys(methods).map((method) => [path, method] as const),
    )
    const charged = all.filter(
      ([path, method]) =>
        at('paths', path, method, 'responses', '402') !== undefined && path !== '/x402/top-up',
    )

    expect(charged.map(([path, method]) => at('paths', path, method, 'operationId'))).toEqual(
      expect.arrayContaining([
        'createSpeech',
        'parseText',
        'queueVideo',
        'createVoice',
        'retrieveVideo',
      ]),
    )
    for (const [path, method] of charged) {
      expect(
        at(
          'paths',
          path,
          method,
          'responses',
          '200',
          'headers',
          'X-Balance-Remaining',
          'schema',
          'type',
        ),
      ).toBe('string')
      expect(
        at(
          'paths',
          path,
          method,
          'responses',
          '402',
          'headers',
          'PAYMENT-REQUIRED',
          'schema',
          'contentEncoding',
        ),
      ).toBe('base64')
    }
  })

  it.each([
    'X-Sign-In-With-X',
    'X-402-Payment',
    'X-PAYMENT',
    'vcu',
    'EPOCH',
    'experimental',
    'beta',
    '8453',
    '20 failed',
    '30 seconds',
    'wait 30s',
  ])('says %s on its first page', (word) => {
    expect(at('info', 'description')).toContain(word)
  })
})

describe('the ledger of a wallet', () => {
  it('accepts pages of 1 to 100 entries, 50 by default, from any offset', () => {
    const parameters = at(
      'paths',
      '/x402/transactions/{walletAddress}',
      'get',
      'parameters',
    ) as readonly unknown[]
    const own = parameters.map((_, index) =>
      at('paths', '/x402/transactions/{walletAddress}', 'get', 'parameters', index),
    )

    expect(own).toMatchObject([
      { name: 'SIGN-IN-WITH-X', in: 'header', required: true },
      { name: 'walletAddress', in: 'path', required: true },
      {
        name: 'limit',
        in: 'query',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      },
      {
        name: 'offset',
        in: 'query',
        schema: { type: ['integer', 'null'], minimum: 0, default: 0 },
      },
    ])
  })

  it('accepts EVM and Solana addresses', () => {
    const pattern = new RegExp(findSchema('WalletAddress', 'pattern') as string, 'u')

    expect(pattern.test('0x1111111111111111111111111111111111111111')).toBe(true)
    expect(pattern.test('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')).toBe(true)
    expect(pattern.test('0x111111111111111111111111111111111111111')).toBe(false)
    expect(pattern.test('0OIl4UsFv8P8NJdTREpY1vzqKqZKvdp1')).toBe(false)
  })

  it('has entries of exactly seven fields, whose type is an open enum', () => {
    expect(listKeys(findSchema('LedgerEntry', 'properties'))).toEqual([
      'id',
      'amount',
      'balanceAfter',
      'type',
      'createdAt',
      'requestId',
      'modelId',
    ])
    expect(findSchema('LedgerEntry', 'required')).toEqual([
      'id',
      'amount',
      'balanceAfter',
      'type',
      'createdAt',
      'requestId',
      'modelId',
    ])
    expect(findSchema('LedgerEntry', 'additionalProperties')).toBe(false)
    expect(findSchema('LedgerEntry', 'properties', 'type', 'enum')).toBeUndefined()
    expect(findSchema('LedgerEntry', 'properties', 'type', 'examples')).toEqual([
      'TOP_UP',
      'CHARGE',
      'REFUND',
    ])
    expect(findSchema('LedgerEntry', 'properties', 'requestId', 'type')).toEqual(['string', 'null'])
    expect(findSchema('LedgerEntry', 'properties', 'modelId', 'type')).toEqual(['string', 'null'])
    expect(findSchema('TransactionHistoryData', 'required')).toEqual([
      'walletAddress',
      'currentBalance',
      'transactions',
      'pagination',
    ])
    expect(findSchema('TransactionHistoryData', 'additionalProperties')).toBe(false)
    expect(findSchema('TransactionHistory', 'properties', 'success', 'const')).toBe(true)
  })
})

describe('speech', () => {
  it('has the bounds and defaults of the interface specification', () => {
    const field = (name: string) => findSchema('CreateSpeechRequest', 'properties', name)

    expect(findSchema('CreateSpeechRequest', 'required')).toEqual(['input'])
    expect(field('input')).toMatchObject({ minLength: 1, maxLength: 4096 })
    expect(field('model')).toMatchObject({ default: 'tts-kokoro' })
    expect(field('voice')).toMatchObject({ default: 'af_sky' })
    expect(field('response_format')).toMatchObject({
      enum: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
      default: 'mp3',
    })
    expect(field('speed')).toMatchObject({ type: 'number', minimum: 0.25, maximum: 4, default: 1 })
    expect(field('streaming')).toMatchObject({ type: 'boolean', default: false })
    expect(field('language')).toMatchObject({ minLength: 2, maxLength: 32 })
    expect(field('prompt')).toMatchObject({ maxLength: 500 })
    expect(field('temperature')).toMatchObject({ minimum: 0, maximum: 2 })
    expect(field('top_p')).toMatchObject({ minimum: 0, maximum: 1 })
    expect(listKeys(findSchema('CreateSpeechRequest', 'properties')).length).toBe(10)
  })

  it('has eleven models and 173 voices, and accepts the handle of a cloned voice', () => {
    const voices = findSchema('SpeechVoice', 'anyOf', 0, 'enum') as readonly string[]

    expect((findSchema('SpeechModel', 'enum') as readonly string[]).length).toBe(11)
    expect(voices.length).toBe(173)
    expect(new Set(voices).size).toBe(173)
    expect([voices[0], voices[53], voices[54], voices[172]]).toEqual([
      'af_alloy',
      'em_santa',
      'Vivian',
      'Davi',
    ])
    expect(findSchema('SpeechVoice', 'anyOf', 1, 'pattern')).toMatch(/^\^vv_/)
  })

  it('has existing voices and a default for every model, and a model for every voice', () => {
    const voices = findSchema('SpeechVoice', 'anyOf', 0, 'enum') as readonly string[]
    const table = Object.entries(
      at('x-model-voices') as Record<string, { voices: string[]; defaultVoice: string }>,
    )

    expect(table.map(([model]) => model)).toEqual(findSchema('SpeechModel', 'enum'))
    expect(table.map(([, { voices }]) => voices.length)).toEqual([
      54, 9, 9, 5, 14, 9, 8, 21, 15, 30, 12,
    ])
    expect(table.filter(([, { voices, defaultVoice }]) => !voices.includes(defaultVoice))).toEqual(
      [],
    )
    expect(new Set(table.flatMap(([, { voices }]) => voices))).toEqual(new Set(voices))
  })

  it('documents which models support which parameter', () => {
    const table = Object.entries(at('x-model-voices') as Record<string, Record<string, boolean>>)
    const listHeeding = (name: string) =>
      table.filter(([, facts]) => facts[name]).map(([model]) => model)

    expect(listHeeding('supportsPromptParam')).toEqual(['tts-qwen3-0-6b', 'tts-qwen3-1-7b'])
    expect(listHeeding('supportsTopPParam')).toEqual(['tts-qwen3-0-6b', 'tts-qwen3-1-7b'])
    expect(listHeeding('supportsTemperatureParam')).toEqual([
      'tts-qwen3-0-6b',
      'tts-qwen3-1-7b',
      'tts-chatterbox-hd',
      'tts-orpheus',
    ])
  })

  it('returns the six formats', () => {
    expect(listKeys(at('paths', '/audio/speech', 'post', 'responses', '200', 'content'))).toEqual([
      'audio/mpeg',
      'audio/opus',
      'audio/aac',
      'audio/flac',
      'audio/wav',
      'audio/pcm',
    ])
  })
})

describe('keys', () => {
  it('are of two types, have limits over three periods, and may expire', () => {
    expect(findSchema('ApiKeyType', 'enum')).toEqual(['INFERENCE', 'ADMIN'])
    expect(findSchema('LimitPeriod', 'enum')).toEqual(['EPOCH', 'MONTH', 'LIFETIME'])
    expect(findSchema('CreateApiKeyRequest', 'required')).toEqual(['apiKeyType', 'description'])
    expect(findSchema('CreateApiKeyRequest', 'properties', 'description', 'maxLength')).toBe(64)
    expect(findSchema('CreateApiKeyRequest', 'properties', 'expiresAt', 'format')).toBe('date-time')
    expect(listKeys(findSchema('ConsumptionLimit', 'properties'))).toEqual(['usd', 'diem', 'vcu'])
    expect(findSchema('ConsumptionLimit', 'properties', 'vcu', 'deprecated')).toBe(true)
    expect(findSchema('CreateApiKeyResponse', 'required')).toEqual(['success', 'data'])
    expect(
      findSchema('CreateApiKeyResponse', 'properties', 'data', 'properties', 'id', 'format'),
    ).toBe('uuid')
    expect(
      listKeys(findSchema('CreateApiKeyResponse', 'properties', 'data', 'properties')),
    ).toEqual([
      'apiKey',
      'apiKeyType',
      'consumptionLimit',
      'limitPeriod',
      'expiresAt',
      'id',
      'description',
    ])
  })

  it('can be created twenty times a minute; a user has at most 500', () => {
    expect(at('paths', '/api_keys', 'post', 'x-rate-limit')).toBe('apiKeyCreation')
    expect(at('x-rate-limits', 'classes', 'apiKeyCreation', 'default', 'requests')).toBe(20)
    expect(at('paths', '/api_keys', 'post', 'description')).toContain('500')
  })
})

describe('the text parser', () => {
  it('is experimental, costs a cent and accepts 25 MB', () => {
    const parser = at('paths', '/augment/text-parser', 'post')

    expect(parser).toMatchObject({
      'x-provisional': false,
      'x-experimental': true,
      'x-price-usd': 0.01,
      'x-max-file-bytes': { file: 26_214_400 },
    })
    expect(listKeys(at('paths', '/augment/text-parser', 'post', 'requestBody', 'content'))).toEqual(
      ['multipart/form-data'],
    )
    expect(findSchema('ParseTextRequest', 'required')).toEqual(['file'])
    expect(findSchema('ParseTextRequest', 'properties', 'response_format')).toMatchObject({
      enum: ['json', 'text'],
      default: 'json',
    })
    expect(findSchema('ParsedText', 'required')).toEqual(['text', 'tokens'])
    expect(
      listKeys(at('paths', '/augment/text-parser', 'post', 'responses', '200', 'content')),
    ).toEqual(['application/json', 'text/plain'])
  })
})

describe('video', () => {
  const field = (name: string) => findSchema('QueueVideoRequest', 'properties', name)

  it('has eighteen fields, three of them required', () => {
    expect(listKeys(findSchema('QueueVideoRequest', 'properties')).length).toBe(18)
    expect(findSchema('QueueVideoRequest', 'required')).toEqual(['model', 'prompt', 'duration'])
  })

  it('has 21 durations, 11 aspect ratios and 13 resolutions, all strings', () => {
    const durations = field('duration') as { enum: unknown[] }
    const ratios = field('aspect_ratio') as { enum: unknown[] }
    const resolutions = field('resolution') as { enum: unknown[] }

    expect([durations.enum.length, ratios.enum.length, resolutions.enum.length]).toEqual([
      21, 11, 13,
    ])
    expect(ratios.enum).toEqual([
      '1:1',
      '2:3',
      '3:2',
      '3:4',
      '4:3',
      '4:5',
      '5:4',
      '9:16',
      '9:21',
      '16:9',
      '21:9',
    ])
    expect(durations.enum.slice(-7)).toEqual(['16s', '18s', '20s', '25s', '30s', '1 gen', 'Auto'])
    expect(resolutions.enum.slice(-4)).toEqual(['4k', '2x', '4x', 'true_1080p'])
  })

  it('quotes aspect ratios, which YAML 1.1 reads as numbers', async () => {
    expect(await readSpecFile('schemas/VideoAspectRatio.yaml')).toContain(
      "'9:16', '9:21', '16:9', '21:9'",
    )
  })

  it('has the bounds and defaults of the interface specification', () => {
    expect(field('prompt')).toMatchObject({ minLength: 1, maxLength: 10_000 })
    expect(field('negative_prompt')).toMatchObject({ maxLength: 10_000 })
    expect(field('upscale_factor')).toMatchObject({ type: 'integer', enum: [1, 2, 4], default: 2 })
    expect(field('audio')).toMatchObject({ type: 'boolean', default: true })
    expect(field('reference_image_urls')).toMatchObject({ maxItems: 9 })
    expect(field('reference_video_urls')).toMatchObject({ maxItems: 3 })
    expect(field('reference_audio_urls')).toMatchObject({ maxItems: 3 })
    expect(field('elements')).toMatchObject({ maxItems: 4 })
    expect(field('scene_image_urls')).toMatchObject({ maxItems: 4 })
    expect(findSchema('QueuedVideo', 'required')).toEqual(['model', 'queue_id'])
    expect(findSchema('QueuedVideo', 'properties', 'download_url', 'description')).toContain(
      '24 hours',
    )
  })

  it('requests consent with 409 and needs_consent', () => {
    expect(
      at(
        'paths',
        '/video/queue',
        'post',
        'responses',
        '409',
        'content',
        'application/json',
        'schema',
        'anyOf',
        0,
      ),
    ).toEqual(findSchema('NeedsConsentError'))
    expect(
      findSchema('NeedsConsentError', 'properties', 'error', 'properties', 'code', 'const'),
    ).toBe('needs_consent')
    expect(findSchema('SeedanceConsent', 'required')).toEqual([
      'confirmed_terms_and_privacy',
      'confirmed_legal_right',
      'confirmed_screening_acknowledged',
    ])
  })
})

describe('limits and prices', () => {
  it('limits text models by tier', () => {
    expect(at('x-rate-limits', 'tiers')).toEqual({
      XS: {
        default: { requests: 500, tokens: 1_000_000 },
        partner: { requests: 500, tokens: 2_000_000 },
        models: ['qwen3-4b', 'llama-3.2-3b'],
      },
      S: {
        default: { requests: 75, tokens: 750_000 },
        partner: { requests: 150, tokens: 1_500_000 },
        models: ['mistral-31-24b', expect.stringMatching(/-uncensored$/)],
      },
      M: {
        default: { requests: 50, tokens: 750_000 },
        partner: { requests: 100, tokens: 1_500_000 },
        models: ['zai-org-glm-5', 'qwen3-next-80b', 'google-gemma-3-27b-it'],
      },
      L: {
        default: { requests: 20, tokens: 500_000 },
        partner: { requests: 60, tokens: 1_000_000 },
        models: [
          'qwen3-235b-a22b-instruct-2507',
          'qwen3-235b-a22b-thinking-2507',
          'deepseek-ai-DeepSeek-R1',
          'grok-41-fast',
          'kimi-k2-thinking',
          'gemini-3-pro-preview',
          'hermes-3-llama-3.1-405b',
          'qwen3-coder-480b-a35b-instruct',
          'zai-org-glm-4.7',
          'openai-gpt-oss-120b',
        ],
      },
    })
  })

  it('limits other models by requests a minute', () => {
    expect(at('x-rate-limits', 'windowSeconds')).toBe(60)
    expect(at('x-rate-limits', 'classes')).toMatchObject({
      image: { default: { requests: 20 }, partner: { requests: 60 } },
      audio: { default: { requests: 60 }, partner: { requests: 120 } },
      embedding: { default: { requests: 500 }, partner: { requests: 500 } },
      videoQueue: { default: { requests: 40 } },
      videoRetrieve: { default: { requests: 120 } },
    })
    expect(listKeys(at('x-rate-limits', 'classes', 'videoQueue'))).toEqual(['default'])
  })

  it('blocks for 30 seconds after more than 20 failures in 30 seconds', () => {
    expect(at('x-abuse-protection')).toEqual({ failures: 20, windowSeconds: 30, blockSeconds: 30 })
  })

  it('sells credit from 5 USD on and parses a document for a cent', () => {
    expect(at('x-prices')).toMatchObject({
      minimumTopUpUsd: 5,
      textParserUsdPerRequest: 0.01,
      dailyCreditUsdPerStakedToken: 1,
    })
    expect(listKeys(at('x-prices', 'speechUsdPerMillionCharacters'))).toEqual(
      findSchema('SpeechModel', 'enum'),
    )
  })
})
