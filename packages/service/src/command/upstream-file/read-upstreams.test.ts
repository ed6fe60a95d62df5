import { Ajv2020 } from 'ajv/dist/2020.js'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { UsageError } from '@farebox/command-line'
import { readUpstreams } from './read-upstreams.js'
import { upstreamsJsonSchema, createUpstreamsSchema } from './upstreams-schema.js'

const environment = { KOKORO_KEY: 'kokoro-secret', BAD_KEY: 'se cret' }

function read(text: string) {
  return readUpstreams(
    { file: '/etc/farebox/upstreams.yaml' },
    {
      environment,
      readFile: () => text,
      readSecret: (file) => {
        if (file === '/etc/farebox/keys/video') return 'video-secret'
        throw new UsageError(`The key file ${file} cannot be read.`)
      },
    },
  )
}

function listFaults(text: string): readonly string[] {
  try {
    read(text)
  } catch (error) {
    if (error instanceof UsageError)
      return error.message
        .split('\n')
        .map((line) => line.replace('/etc/farebox/upstreams.yaml:', ''))
    throw error
  }
  return []
}

const whole = {
  upstreams: [
    {
      name: 'kokoro',
      capability: 'speech',
      url: 'https://kokoro.example/v1',
      format: 'openai',
      key: { variable: 'KOKORO_KEY' },
      models: ['tts-kokoro'],
      modelNames: { 'tts-kokoro': 'kokoro' },
      voiceNames: { af_sky: 'sky' },
      weight: 3,
      concurrency: 20,
      retries: 2,
      repeat: 'free',
      breaker: { failures: 3, openMs: 10_000 },
      health: { path: '/models', everyMs: 5_000 },
      timeouts: { firstByteMs: 8_000, idleMs: 4_000 },
      cost: {
        header: 'x-cost-usd',
        usdPerMillionCharacters: 0.8,
        models: { 'tts-kokoro': { usdPerRequest: 0.001 } },
      },
    },
    {
      name: 'video',
      capability: 'video',
      url: 'https://video.example/api/v1',
      key: { file: 'keys/video' },
      timeouts: { videoMs: 600_000, pollMs: 1_000 },
      cost: { usdPerSecond: 0.1 },
    },
    {
      name: 'text',
      capability: 'text',
      url: 'http://10.0.0.7:4020/api/v1',
      weight: 0,
      cost: { usdPerMegabyte: 0.01 },
    },
  ],
}

describe('an upstreams file', () => {
  it('is read from JSON, with the secrets that it names', () => {
    const [speech, video, text] = read(JSON.stringify(whole))
    const { key: _key, ...rest } = whole.upstreams[0] as Record<string, unknown>
    expect(speech).toEqual({ ...rest, apiKey: 'kokoro-secret' })
    expect(video).toMatchObject({ name: 'video', apiKey: 'video-secret' })
    expect(text).not.toHaveProperty('apiKey')
  })

  it('is read from YAML with comments', () => {
    expect(
      read(
        '# ours\nupstreams:\n  - { name: a, capability: text, url: "https://a.example" } # one\n',
      ),
    ).toEqual([{ name: 'a', capability: 'text', url: 'https://a.example' }])
    expect(read('upstreams: []')).toEqual([])
  })

  it('from the guide is valid', () => {
    const file = fileURLToPath(
      new URL('../../../../docs/samples/service/upstreams.yml', import.meta.url),
    )
    const found = readUpstreams({ file }, { environment, readSecret: () => 'key-in-a-file' })
    expect(found.map(({ name, weight = 1 }) => [name, weight])).toEqual([
      ['kokoro-east', 3],
      ['kokoro-reserve', 0],
      ['videos', 1],
    ])
  })

  const one = (fields: string) =>
    `upstreams:\n  - name: a\n    capability: speech\n    url: https://a.example/v1\n    ${fields}\n`
  it.each([
    ['', ' found nothing, expected an object.'],
    ['upstream: []', '1: /upstream: found the unknown field "upstream". Did you mean "upstreams"?'],
    [
      one('wieght: 2'),
      '5: /upstreams/0/wieght: found the unknown field "wieght". Did you mean "weight"?',
    ],
    [one('weight: -1'), '5: /upstreams/0/weight: found -1, expected at least 0.'],
    [one('concurrency: 1.5'), '5: /upstreams/0/concurrency: found 1.5, expected an integer.'],
    [one('retries: many'), '5: /upstreams/0/retries: found a string, expected a number.'],
    [
      one('models: [tts-kokor]'),
      '5: /upstreams/0/models/0: found "tts-kokor". Did you mean "tts-kokoro"?',
    ],
    [
      one('modelNames: { tts-orfeus: x }'),
      '/upstreams/0/modelNames/tts-orfeus: found the unknown field "tts-orfeus". Did you mean "tts-orpheus"?',
    ],
    [
      one('cost: { usdPerSecond: 1 }'),
      '/upstreams/0/cost/usdPerSecond: found the unknown field "usdPerSecond". Expected one of header, usdPerRequest',
    ],
    [one('cost: { usdPerRequest: 0.0000001 }'), 'found more than six decimals'],
    [one('format: farebox'), '5: /upstreams/0/format: found "farebox". Expected one of openai.'],
    [
      one('key: kokoro-secret'),
      '5: /upstreams/0/key: found no object, expected { variable: NAME } or { file: PATH }',
    ],
    [
      one('apiKey: kokoro-secret'),
      '5: /upstreams/0/apiKey: found the unknown field "apiKey". Expected one of capability,',
    ],
    [one('key: {}'), 'found none or both, expected one of variable and file.'],
    [
      one('key: { variable: NONE }'),
      '5: /upstreams/0/key: found no value in the environment variable NONE, expected a key',
    ],
    [
      one('key: { variable: BAD_KEY }'),
      'found a space or a character that no header can carry in the environment variable BAD_KEY',
    ],
    [
      one('key: { file: none }'),
      '5: /upstreams/0/key: The key file /etc/farebox/none cannot be read.',
    ],
    [
      one('health: { path: "models?key=kokoro-secret" }'),
      'found another path, expected one like /models',
    ],
    [
      'upstreams:\n  - capability: vidio',
      '2: /upstreams/0/capability: found "vidio". Did you mean "video"?',
    ],
    [
      'upstreams:\n  - { name: a, capability: text, url: "https://u:kokoro-secret@a" }',
      '2: /upstreams/0/url: found no URL that can be called',
    ],
    [
      'upstreams:\n  - { name: a, capability: text, url: "https://a" }\n  - { name: a, capability: text, url: "https://b" }',
      '3: /upstreams/1/name: found a second upstream of text with this name, expected another.',
    ],
    ['{"upstreams": [', '1: found no valid YAML or JSON: '],
    ['upstreams: &a [*a]', ' found an alias (*name), expected each value in its place.'],
  ])('that is %j is rejected with the location and without secrets', (text, sentence) => {
    const faults = listFaults(text)
    expect(faults.join('\n')).toContain(sentence)
    expect(faults.join('\n')).not.toMatch(/kokoro-secret|se cret/)
  })

  it('is rejected with all of its errors, in line order', () => {
    const faults = listFaults(
      `upstreams:\n  - name: a b\n    capability: speech\n    weight: x\n    url: y\n  - capability: z\n`,
    )
    expect(faults.map((fault) => fault.split(':', 1)[0])).toEqual(['2', '4', '5', '6'])
  })

  it('that does not exist is rejected', () => {
    expect(() => readUpstreams({ file: '/nowhere/upstreams.json' }, { environment })).toThrow(
      '/nowhere/upstreams.json: found no file that can be read (ENOENT), expected a file of upstreams.',
    )
  })
})

describe('the published schema', () => {
  it('accepts and rejects the same files as the service', () => {
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(
      upstreamsJsonSchema(),
    )
    const [first] = whole.upstreams
    const changed = (change: object) => ({ upstreams: [{ ...first, ...change }] })
    const values = [
      whole,
      { $schema: './upstreams.schema.json', upstreams: [] },
      {},
      changed({ weight: -1 }),
      changed({ extra: 1 }),
      changed({ models: [] }),
      changed({ models: ['gpt'] }),
      changed({ modelNames: { gpt: 'x' } }),
      changed({ key: {} }),
      changed({ key: 'k' }),
      changed({ retries: 1.5 }),
      changed({ capability: 'video' }),
      changed({ name: 'a b' }),
      changed({ timeouts: { pollMs: 1_000 } }),
    ]
    expect(values.map((value) => check(value))).toEqual(
      values.map((value) => createUpstreamsSchema().safeParse(value).success),
    )
  })
})
