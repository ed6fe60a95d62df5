import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFarebox, isFareboxError } from './index.js'
import { mediaLimits } from './files.node.js'
import { validation } from './validation.js'

let folder = ''
const toPath = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-media-'))
  for (const name of ['tram.png', 'tram.MP4', 'bell.wav', 'tram', 'large.mp3'])
    writeFileSync(toPath(name), 'Tram')
  writeFileSync(toPath('empty.png'), '')
  // sparse: needs no space on the disk
  truncateSync(toPath('large.mp3'), 15 * 2 ** 20 + 1)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Queues a video with these media. Returns the bodies that were sent, and the result. */
async function queue(media: object) {
  const sent: Record<string, unknown>[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(JSON.parse(await new Response(init?.body ?? null).text()) as Record<string, unknown>)
    return Response.json({ model: 'm', queue_id: 'q' })
  }
  const farebox = createFarebox({
    baseUrl: 'http://127.0.0.1:4020/api/v1',
    apiKey: 'KEY',
    fetch,
    validation: validation(),
  })
  const result: unknown = await farebox
    .queueVideo({ model: 'm', prompt: 'p', duration: '5s', ...media })
    .catch((error: unknown) => error)
  return { sent, result }
}

const createDataUrl = (type: string) =>
  `data:${type};base64,${Buffer.from('Tram').toString('base64')}`

it('sends a file on disk as a data URL, in every media field', async () => {
  const { sent, result } = await queue({
    image_url: { path: toPath('tram.png') },
    video_url: { path: toPath('tram.MP4') },
    audio_url: { path: toPath('tram'), type: 'audio/mpeg' },
    end_image_url: 'https://media.example/end.png',
    reference_image_urls: ['https://media.example/still.png', { path: toPath('tram.png') }],
    elements: [{ frontal_image_url: { path: toPath('tram.png') }, name: 'Tram' }],
  })
  expect(result).toEqual({ model: 'm', queue_id: 'q' })
  expect(sent).toEqual([
    {
      model: 'm',
      prompt: 'p',
      duration: '5s',
      image_url: createDataUrl('image/png'),
      video_url: createDataUrl('video/mp4'),
      audio_url: createDataUrl('audio/mpeg'),
      end_image_url: 'https://media.example/end.png',
      reference_image_urls: ['https://media.example/still.png', createDataUrl('image/png')],
      elements: [{ frontal_image_url: createDataUrl('image/png'), name: 'Tram' }],
    },
  ])
})

it.each<[string, (path: typeof toPath) => object, string]>([
  [
    'that is missing',
    (path) => ({ image_url: { path: path('none.png') } }),
    'cannot be read. Check the path and its permissions.',
  ],
  ['that is empty', (path) => ({ image_url: { path: path('empty.png') } }), 'is empty.'],
  [
    'that is a folder',
    (path) => ({ image_url: { path: path(''), type: 'image/png' } }),
    'is not a regular file',
  ],
  [
    'of an unknown type',
    (path) => ({ image_url: { path: path('tram') } }),
    'has no known type. Name its media type: { path, type }.',
  ],
  [
    'beyond the limit of its field',
    (path) => ({ audio_url: { path: path('large.mp3') } }),
    'has 15728641 bytes, and the limit is 15 MB.',
  ],
])('rejects a file %s, and sends nothing', async (_what, media, message) => {
  const { sent, result } = await queue(media(toPath))
  expect(sent).toEqual([])
  expect(isFareboxError(result) && [result.code, result.attempts, result.mayHaveArrived]).toEqual([
    'invalid_input',
    0,
    false,
  ])
  expect(String(result)).toContain(message)
})

it('a path in another field is data and reads no file', async () => {
  const { result } = await queue({ consents: { path: toPath('tram.png') } })
  expect(String(result)).not.toContain('VHJhbQ')
})

it('has the limits that the contract states', () => {
  const contract = readFileSync(
    new URL('../../../spec/schemas/QueueVideoRequest.yaml', import.meta.url),
    'utf8',
  )
  const stated = [
    ...contract.matchAll(/^  (\w+_urls?):\n(?:    .*\n)*?.*?at\s+most (?:30 s and )?(\d+) MB/gm),
  ].map(([, name, most]) => [name, Number(most)])
  expect(Object.fromEntries(stated)).toEqual(mediaLimits)
})
