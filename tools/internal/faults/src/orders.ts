import { randomUUID } from 'node:crypto'
import { operations, type OperationId } from '@farebox/types/operations'
import type { Random } from './random.js'
import type { Message } from './send.js'

/** The operations that the contract has a price for, but for top-ups. */
type PaidOperation = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly billing: 'payment' }
    ? never
    : (typeof operations)[Id] extends { readonly billing: string } | { readonly priceUsd: number }
      ? Id
      : never
}[OperationId]

/** A request that costs the same each time. */
export type Sample = {
  readonly name: string
  readonly operation: PaidOperation
  readonly message: () => Message
  /** As the ledger names it. */
  readonly model: string
  /** How often it is chosen, beside others. */
  readonly weight: number
  /** Whether a client that leaves pays for the part that was made, so that its key stays free. */
  readonly sellsParts?: boolean
  /** Paid for when it is made, after its response. */
  readonly isVideo?: boolean
}

/** What a caller may ask for and pay for. */
export type Order = {
  readonly sample: Sample
  readonly message: Message
  /** Micro-USD. */
  readonly price: bigint
}

/** Micro-USD by the name of the sample, as the service charges when nothing disturbs it. */
export type Prices = ReadonlyMap<string, bigint>

const chat = {
  model: 'local-test-chat',
  messages: [{ role: 'user', content: 'Where does the tram stop?' }],
  max_tokens: 64,
}
const clip = { model: 'local-test-clip', duration: '2s', resolution: '256p' }

function createSpeechSample(count: number, streaming: boolean): Omit<Sample, 'operation'> {
  const input = 'A tram. '.repeat(count).trim()
  const body = { model: 'tts-kokoro', input, response_format: 'pcm', streaming }
  return {
    name: `speech ${count}${streaming ? ', streamed' : ''}`,
    message: () => createJsonMessage(operations.createSpeech.path, body),
    model: 'tts-kokoro',
    weight: 3,
    sellsParts: true,
  }
}

/** A priced operation without a sample is not played. */
const samplesByOperation: Readonly<
  Partial<Record<PaidOperation, readonly Omit<Sample, 'operation'>[]>>
> = {
  parseText: [
    {
      name: 'document',
      message: () =>
        createFormMessage(
          operations.parseText.path,
          'a.txt',
          'text/plain',
          Buffer.from('Tram fares'),
        ),
      model: 'text-parser',
      weight: 50,
    },
  ],
  createSpeech: [1, 2, 3].flatMap((count) => [
    createSpeechSample(count, false),
    createSpeechSample(count, true),
  ]),
  createChatCompletion: [false, true].map((stream) => ({
    name: stream ? 'chat, streamed' : 'chat',
    message: () => createJsonMessage(operations.createChatCompletion.path, { ...chat, stream }),
    model: chat.model,
    weight: 8,
    sellsParts: true,
  })),
  createEmbedding: [
    {
      name: 'embedding',
      message: () =>
        createJsonMessage(operations.createEmbedding.path, {
          model: 'local-test-embedding',
          // long enough for several micro-USD
          input: 'Where does the tram stop? '.repeat(50),
        }),
      model: 'local-test-embedding',
      weight: 6,
    },
  ],
  createImage: [
    {
      name: 'image',
      message: () =>
        createJsonMessage(operations.createImage.path, {
          model: 'local-test-image',
          prompt: 'A tram',
          size: '256x256',
        }),
      model: 'local-test-image',
      weight: 3,
    },
  ],
  createTranscription: [
    {
      name: 'transcript',
      message: () =>
        createFormMessage(
          operations.createTranscription.path,
          'a.wav',
          'audio/wav',
          createSilence(1),
          {
            model: 'local-test-transcription',
          },
        ),
      model: 'local-test-transcription',
      weight: 4,
    },
  ],
  queueVideo: [
    {
      name: 'video',
      message: () => createJsonMessage(operations.queueVideo.path, { ...clip, prompt: 'A tram' }),
      model: clip.model,
      weight: 5,
      isVideo: true,
    },
  ],
}

export const samples: readonly Sample[] = Object.entries(samplesByOperation).flatMap(
  ([operation, all]) => all.map((sample) => ({ ...sample, operation: operation as PaidOperation })),
)

const lots = samples.flatMap((sample) => Array.from({ length: sample.weight }, () => sample))

export function createOrder(random: Random, prices: Prices): Order {
  const sample = random.pick(lots as [Sample, ...Sample[]])
  const price = prices.get(sample.name)
  if (price === undefined) throw new Error(`The price of the sample "${sample.name}" is not known`)
  return { sample, message: sample.message(), price }
}

export function createJsonMessage(path: string, body: object): Message {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
}

function createFormMessage(
  path: string,
  fileName: string,
  fileType: string,
  file: Buffer,
  fields: Readonly<Record<string, string>> = {},
): Message {
  const boundary = `faults-${randomUUID()}`
  const part = (disposition: string, ...lines: readonly string[]) =>
    [`--${boundary}`, `content-disposition: form-data; ${disposition}`, ...lines, ''].join('\r\n')
  const head =
    Object.entries(fields)
      .map(([name, value]) => part(`name="${name}"`, '', value))
      .join('') + part(`name="file"; filename="${fileName}"`, `content-type: ${fileType}`, '')
  return {
    method: 'POST',
    path,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

/** A WAV file of silence: 8,000 samples a second of 16 bits, mono. */
function createSilence(seconds: number): Buffer {
  const rate = 8_000
  const header = Buffer.alloc(44)
  const length = seconds * rate * 2
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(length, 40)
  return Buffer.concat([header, Buffer.alloc(length)])
}
