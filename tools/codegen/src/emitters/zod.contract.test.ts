import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runZod } from '../../test/run-zod.js'
import { loadDocument } from '../document/load.js'
import type { Api, Content } from '../ir/api.js'
import { buildApi } from '../ir/build.js'
import type { Json } from '../ir/schema.js'

async function loadContract(): Promise<Api> {
  const { document } = await loadDocument('spec/openapi.yaml', {
    cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
  })
  const api = document && buildApi(document).api
  if (api === undefined)
    throw new Error('The contract has faults: run `pnpm generate` to see them.')
  return api
}

const api = await loadContract()
const { schemas, operations } = runZod(api)

const examples = api.operations.flatMap(({ id, body, responses }) => {
  const listExamples = (where: string, contents: readonly Content[]) =>
    contents.flatMap(({ mediaType, examples: all }) =>
      all.map(({ name, value }) => ({ id, where, mediaType, name, value })),
    )
  return [
    ...listExamples('body', body?.contents ?? []),
    ...responses.flatMap(({ status, contents }) => listExamples(String(status), contents)),
  ]
})

function listFaults(schema: string, value: Json): readonly string[] {
  const result = schemas[schema]?.safeParse(value)
  return result?.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
}

describe('the validators of the contract', () => {
  it.each(examples)(
    '$id accepts the example $name ($where $mediaType)',
    ({ id, where, mediaType, value }) => {
      const operation = operations[id]
      const validator =
        where === 'body' ? operation?.body?.[mediaType] : operation?.responses[where]?.[mediaType]
      const sent = mediaType.startsWith('multipart')
        ? { ...(value as { readonly [name: string]: Json }), file: new Blob() }
        : value
      expect(validator).toBeDefined()
      expect(validator?.safeParse(sent).error?.issues).toBeUndefined()
    },
  )

  it('there is an example for every operation', () => {
    const covered = new Set(examples.map(({ id }) => id))
    expect(api.operations.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
  })

  it('length is counted in characters, not in UTF-16 units', () => {
    expect(listFaults('CreateSpeechRequest', { input: '😀'.repeat(4096) })).toEqual([])
    expect(listFaults('CreateSpeechRequest', { input: '😀'.repeat(4097) })).toEqual([
      'input: Invalid length: expected at least 1 and at most 4096 characters',
    ])
  })

  it('no default is applied', () => {
    expect(schemas['CreateSpeechRequest']?.parse({ input: 'Fares' })).toEqual({ input: 'Fares' })
  })

  it('an open object keeps unknown properties, a closed one rejects them', () => {
    expect(schemas['CreateSpeechRequest']?.parse({ input: 'Fares', later: 1 })).toEqual({
      input: 'Fares',
      later: 1,
    })
    const entry = {
      id: 'e',
      amount: -0.01,
      balanceAfter: 5,
      type: 'BONUS',
      createdAt: '2030-01-31T08:30:00Z',
      requestId: null,
      modelId: null,
    }
    expect(listFaults('LedgerEntry', entry)).toEqual([])
    expect(listFaults('LedgerEntry', { ...entry, later: 1 })).toEqual([
      ': Unrecognized key: "later"',
    ])
    expect(
      listFaults(
        'LedgerEntry',
        JSON.parse(`{"__proto__":1,${JSON.stringify(entry).slice(1)}`) as Json,
      ),
    ).toEqual([': Unrecognized key: "__proto__"'])
  })

  const video = { model: 'seedance-2-0-text-to-video', prompt: 'a tram', duration: '5s' }

  it.each([
    [
      'a sound without an image or a clip beside it',
      { ...video, reference_audio_urls: ['https://a.example/a.mp3'] },
      false,
    ],
    [
      'a sound with an empty list of images',
      { ...video, reference_audio_urls: ['https://a.example/a.mp3'], reference_image_urls: [] },
      false,
    ],
    [
      'a sound with an image',
      {
        ...video,
        reference_audio_urls: ['https://a.example/a.mp3'],
        reference_image_urls: ['https://a.example/a.png'],
      },
      true,
    ],
    ['no sound in an empty list', { ...video, reference_audio_urls: [] }, true],
    ['an upscale without a video', { ...video, model: 'topaz-video-upscale' }, false],
    [
      'an upscale with a resolution',
      {
        ...video,
        model: 'topaz-video-upscale',
        video_url: 'https://a.example/a.mp4',
        resolution: '4k',
      },
      false,
    ],
    [
      'an upscale of a video by 4',
      {
        ...video,
        model: 'topaz-video-upscale',
        video_url: 'https://a.example/a.mp4',
        upscale_factor: 4,
      },
      true,
    ],
    [
      'an upscale by 3',
      {
        ...video,
        model: 'topaz-video-upscale',
        video_url: 'https://a.example/a.mp4',
        upscale_factor: 3,
      },
      false,
    ],
    ['an aspect ratio that YAML could take for a time', { ...video, aspect_ratio: '16:9' }, true],
    [
      'ten images',
      {
        ...video,
        reference_image_urls: Array.from({ length: 10 }, () => 'https://a.example/a.png'),
      },
      false,
    ],
  ])('a video request with %s: %o is %s', (_, request, expected) => {
    expect(listFaults('QueueVideoRequest', request).length === 0).toBe(expected)
  })

  it('an issue states its path and what was expected, once', () => {
    expect(
      listFaults('QueueVideoRequest', { ...video, model: 'topaz-video-upscale', resolution: '4k' }),
    ).toEqual([
      'video_url: Invalid input: expected string, received undefined',
      'resolution: Invalid input: nothing is allowed here',
    ])
    expect(listFaults('QueueVideoRequest', 'a tram')).toEqual([
      ': Invalid input: expected object, received string',
    ])
  })
})
