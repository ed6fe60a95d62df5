import { readFile } from 'node:fs/promises'
import { box, createFragmentedMp4, createMp4, encodeU32 } from '@farebox/testing/mp4'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRecording } from '../../../test/recording.js'
import { claimsTooMuch } from './inspect-media.js'
import { createMediaReader } from './media-reader.js'

// one for the file: a worker takes as long to start as it takes to read hundreds of videos
const reader = createMediaReader()
afterAll(() => reader.close())

const toDataUrl = (bytes: Uint8Array, type = 'video/mp4') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const readLength = (bytes: Uint8Array) => reader.lengthOfVideo(toDataUrl(bytes), 'a')

describe('the length of a video', () => {
  it('is the sum of its samples', async () => {
    expect(await readLength(createFragmentedMp4(75, { sampleDuration: 40 }))).toBe(3)
  })

  it('is found in a data URL of either kind', async () => {
    const bytes = createFragmentedMp4(50, { sampleDuration: 40 })
    const escaped = `DATA:video/mp4,${[...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`
    expect(await reader.lengthOfVideo(escaped, 'a')).toBe(2)
  })

  it.each<readonly [string, Uint8Array]>([
    ['claims two million samples in 2 kB', createFragmentedMp4(2_000_000, { data: 0 })],
    ['claims four billion samples in 2 kB', createFragmentedMp4(2 ** 32 - 1, { data: 0 })],
    [
      'spreads its claim over many fragments',
      createFragmentedMp4(1_000, { data: 0, fragments: 20 }),
    ],
    ['claims samples by runs', createMp4({ stts: [encodeU32(0, 1, 2 ** 31, 1)] })],
    ['claims samples of one size', createMp4({ stsz: [encodeU32(0, 1, 2 ** 31)] })],
    [
      'claims samples whose time is shifted',
      createMp4({ ctts: [encodeU32(0, 2, 2 ** 31, 1, 2 ** 31, 1)] }),
    ],
  ])('is rejected immediately for a file that %s', async (_what, bytes) => {
    expect(claimsTooMuch(bytes)).toBe(true)
    await expect(readLength(bytes)).rejects.toMatchObject({
      code: 'corrupt',
      message: 'The video claims to have more samples than it has bytes.',
    })
  })

  it.each<readonly [string, Uint8Array]>([
    ['is nothing', new Uint8Array(0)],
    ['is a text', new TextEncoder().encode('#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n')],
    ['is cut off', createFragmentedMp4(75, { sampleDuration: 40 }).subarray(0, 300)],
    ['has no samples', createFragmentedMp4(0, {})],
    ['would last for years', createFragmentedMp4(75, { sampleDuration: 2 ** 31 })],
    [
      'has boxes within boxes without end',
      Array.from({ length: 50_000 }).reduce<Uint8Array>(
        (inner) => (inner.length < 200_000 ? box('moov', inner) : inner),
        box('trak'),
      ),
    ],
  ])('is rejected for a file that %s', async (_what, bytes) => {
    await expect(readLength(bytes)).rejects.toMatchObject({ name: 'FileError', code: 'corrupt' })
  })

  it('is rejected for a data URL without data', async () => {
    for (const url of ['data:', 'data:video/mp4;base64', 'data:,%', 'data:video/mp4;base64,'])
      await expect(reader.lengthOfVideo(url, 'a')).rejects.toMatchObject({ code: 'corrupt' })
  })

  deepTest(
    'fails when it exhausts the heap of its worker, and the next video is read',
    async () => {
      // three million samples, each with its byte: an honest claim that is too large for this heap
      const made = createMediaReader({ maxHeapMb: 48 })
      onTestFinished(() => made.close())
      await expect(
        made.lengthOfVideo(toDataUrl(createFragmentedMp4(3_000_000, { sampleDuration: 1 })), 'a'),
      ).rejects.toMatchObject({
        code: 'too_complex',
      })
      expect(
        await made.lengthOfVideo(toDataUrl(createFragmentedMp4(75, { sampleDuration: 40 })), 'a'),
      ).toBe(3)
    },
  )
})

describe('a recording', () => {
  const rules = { formats: ['mp3', 'wav', 'm4a'], minSampleSeconds: 5 } as const

  it('is checked without taking its buffer from the caller', async () => {
    const file = Uint8Array.from(await createRecording(6))
    expect(await reader.checkRecording(file, rules, 'a')).toBeUndefined()
    expect(file.length).toBeGreaterThan(1_000)
    expect(
      await reader.checkRecording(Uint8Array.from(await createRecording(2)), rules, 'a'),
    ).toEqual({
      message: 'The recording lasts 2.0 s; this model needs 5 s at least.',
    })
  })

  it('is rejected when it claims more samples than it has bytes', async () => {
    expect(
      await reader.checkRecording(
        createFragmentedMp4(2 ** 32 - 1, { data: 0, kind: 'sound' }),
        rules,
        'a',
      ),
    ).toEqual({
      message:
        'The file claims to have more samples than it has bytes; expected a recording as MP3, WAV, M4A.',
    })
  })
})

it('a file without boxes has no length', async () => {
  const text = await readFile(new URL('../../../fixtures/fare-table.txt', import.meta.url))
  for (const bytes of [
    text,
    new Uint8Array(0),
    new Uint8Array(1_000),
    Uint8Array.of(0, 0, 0, 8, 0x74, 0x72, 0x75, 0x6e),
  ])
    expect(claimsTooMuch(bytes)).toBe(false)
})
