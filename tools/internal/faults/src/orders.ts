import { randomUUID } from 'node:crypto'
import type { Random } from './random.js'
import type { Message } from './send.js'

/** What a caller may ask for and pay for. */
export type Order = {
  readonly operation: 'parseText' | 'createSpeech' | 'queueVideo'
  readonly message: Message
  readonly model: string
  /** Micro-USD. */
  readonly price: bigint
  readonly isVideo: boolean
}

/** What the service itself says about its prices. */
export type Prices = { readonly speechUsdPerMillion: number; readonly videoUsd: number }

export const speechModel = 'tts-kokoro'
export const clip = { model: 'local-test-clip', duration: '2s', resolution: '256p' }

/** `x-price-usd` of parseText. */
const parsePrice = 10_000n

export function createOrder(random: Random, { speechUsdPerMillion, videoUsd }: Prices): Order {
  const chance = random.below(100)
  if (chance < 70) {
    return {
      operation: 'parseText',
      message: parseMessage('Tram fares'),
      model: 'text-parser',
      price: parsePrice,
      isVideo: false,
    }
  }
  if (chance < 94) {
    const input = 'A tram. '.repeat(1 + random.below(3)).trim()
    const message = jsonMessage('/audio/speech', {
      model: speechModel,
      input,
      response_format: 'pcm',
      streaming: random.happens(0.5),
    })
    return {
      operation: 'createSpeech',
      message,
      model: speechModel,
      price: BigInt(Math.ceil(input.length * speechUsdPerMillion)),
      isVideo: false,
    }
  }
  const message = jsonMessage('/video/queue', { ...clip, prompt: 'A tram' })
  return {
    operation: 'queueVideo',
    message,
    model: clip.model,
    price: BigInt(Math.round(videoUsd * 1e6)),
    isVideo: true,
  }
}

export function jsonMessage(path: string, body: object): Message {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
}

export function parseMessage(text: string): Message {
  const boundary = `faults-${randomUUID()}`
  const lines = [
    `--${boundary}`,
    'content-disposition: form-data; name="file"; filename="a.txt"',
    'content-type: text/plain',
    '',
    text,
  ]
  return {
    method: 'POST',
    path: '/augment/text-parser',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from([...lines, `--${boundary}--`, ''].join('\r\n')),
  }
}
