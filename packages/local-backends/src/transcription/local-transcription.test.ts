import {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny'
import { afterAll, describe, expect, it } from 'vitest'
import { createMuxedEncoder } from '../speech/formats/muxed.js'
import { outputRate } from '../speech/formats/resample.js'
import { createWavEncoder, type SpeechEncoder } from '../speech/formats/speech-encoder.js'
import { createSpeaker } from '../speech/speak.js'
import { createTaskThread } from '../tasks/task-thread.js'
import { createLocalTranscription } from './local-transcription.js'

const thread = createTaskThread()
const { transcribe } = createLocalTranscription(thread)
afterAll(() => thread.close())
const signal = new AbortController().signal

type Time = readonly [start: number, end: number]

/** Sound at the stated times, over noise at a level. */
function record(seconds: number, sounds: readonly Time[], noise = 0): Int16Array {
  let state = 1
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_824 - 1
  return Int16Array.from({ length: seconds * outputRate }, (_, at) => {
    const time = at / outputRate
    const isSound = sounds.some(([start, end]) => time >= start && time < end)
    return noise * random() + (isSound ? 8_000 * Math.sin(2 * Math.PI * 300 * time) : 0)
  })
}

async function encode(samples: Int16Array, format: string): Promise<Uint8Array> {
  if (format === 'm4a' || format === 'webm') return encodeIntoContainer(samples, format)
  const parts: Uint8Array[] = []
  const sink = (bytes: Uint8Array) => void parts.push(bytes)
  const encoder: SpeechEncoder =
    format === 'wav'
      ? createWavEncoder(sink, false)
      : await createMuxedEncoder(
          format === 'ogg' ? 'opus' : (format as 'mp3' | 'flac'),
          sink,
          false,
        )
  await encoder.add(samples)
  await encoder.finish()
  return Buffer.concat(parts)
}

async function encodeIntoContainer(samples: Int16Array, format: string): Promise<Uint8Array> {
  // the encoders are registered with the first of these
  await (await createMuxedEncoder('mp3', () => undefined, false)).drop()
  const target = new BufferTarget()
  const isM4a = format === 'm4a'
  const output = new Output({
    format: isM4a ? new Mp4OutputFormat() : new WebMOutputFormat(),
    target,
  })
  const source = new AudioSampleSource({ codec: isM4a ? 'aac' : 'opus', bitrate: 64_000 })
  output.addAudioTrack(source)
  await output.start()
  const sample = new AudioSample({
    data: samples,
    format: 's16',
    numberOfChannels: 1,
    sampleRate: outputRate,
    timestamp: 0,
  })
  await source.add(sample)
  sample.close()
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer())
}

const listen = async (samples: Int16Array, format = 'wav') =>
  transcribe({ caller: 'a', audio: await encode(samples, format), format }, signal)

function expectTimes(
  found: readonly { start: number; end: number }[],
  times: readonly Time[],
): void {
  expect(found).toHaveLength(times.length)
  for (const [index, [start, end]] of times.entries()) {
    // encoders delay and smear the sound a little
    expect(Math.abs((found[index]?.start ?? 0) - start)).toBeLessThan(0.08)
    expect(Math.abs((found[index]?.end ?? 0) - end)).toBeLessThan(0.12)
  }
}

describe('the transcription model for tests', () => {
  it.each(['wav', 'mp3', 'flac', 'ogg', 'm4a', 'webm'])(
    'finds sound and silence in %s',
    async (format) => {
      const samples = record(4, [
        [0.5, 1],
        [1.1, 1.4],
        [2.5, 3.5],
      ])
      const { text, segments, words } = await listen(samples, format)
      expectTimes(segments, [
        [0.5, 1.4],
        [2.5, 3.5],
      ])
      expectTimes(words, [
        [0.5, 1],
        [1.1, 1.4],
        [2.5, 3.5],
      ])
      expect(segments.map((segment) => segment.text)).toEqual(['[sound] [sound]', '[sound]'])
      expect(text).toBe('[sound] [sound] [sound]')
    },
  )

  it('finds sound over noise', async () => {
    expectTimes((await listen(record(3, [[1, 2]], 400))).segments, [[1, 2]])
  })

  it.each([
    ['silence', [], []],
    ['sound throughout', [[0, 2]], [[0, 2]]],
    ['a click', [[1, 1.01]], []],
  ] as const)('hears %s', async (_name, sounds, times) => {
    expectTimes((await listen(record(2, sounds))).segments, times)
  })

  it('hears the sentences of the synthesizer, and the silence between them', async () => {
    const parts: Uint8Array[] = []
    const speaker = await createSpeaker({
      sentences: ['Single ride.', '', 'Day ticket.'],
      voice: 'slt',
      speed: 1,
      format: 'pcm',
      streaming: true,
    })
    for (let isLast = false; !isLast;) {
      const made = await speaker.next()
      isLast = made.isLast
      parts.push(made.bytes)
    }
    const bytes = Buffer.concat(parts)
    const samples = new Int16Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    )
    const { segments } = await listen(samples)
    expect(segments).toHaveLength(2)
    for (const { start, end } of segments) expect(end - start).toBeGreaterThan(0.3)
  })

  it.each([
    ['text', 'wav', 'not audio at all'],
    ['a format that is not', 'aiff', ''],
  ])('rejects %s', async (_name, format, content) => {
    const audio = Buffer.from(content)
    await expect(transcribe({ caller: 'a', audio, format }, signal)).rejects.toMatchObject({
      code: 'rejected',
    })
  })

  it('names the language of the request in English', async () => {
    const audio = await encode(record(1, []), 'wav')
    expect(
      (await transcribe({ caller: 'a', audio, format: 'wav', language: 'pt' }, signal)).language,
    ).toBe('portuguese')
  })
})
