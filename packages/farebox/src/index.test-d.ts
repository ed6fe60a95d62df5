import type { EvmSigner } from '@farebox/auth'
import type {
  ChatCompletion,
  ChatCompletionChunk,
  DetailedError,
  InsufficientBalance,
  LedgerEntry,
  Model,
  ParsedText,
  PaymentRequired,
  StandardError,
  WalletBalance,
} from '@farebox/types'
import { expectTypeOf, it } from 'vitest'
import {
  isFareboxError,
  type Farebox,
  type FareboxError,
  type FareboxErrorCode,
  type FareboxOptions,
  type Media,
  type WithResponse,
} from './index.js'

declare const farebox: Farebox

it('a method takes one flat input and returns the data of its operation', () => {
  expectTypeOf(farebox.parseText).parameter(0).toHaveProperty('file')
  expectTypeOf(farebox.parseText({ file: new Blob() })).resolves.toEqualTypeOf<ParsedText>()
  expectTypeOf(
    farebox.parseText({ file: new Blob(), response_format: 'text' }),
  ).resolves.toEqualTypeOf<string>()
  const format = 'json' as 'json' | 'text'
  expectTypeOf(
    farebox.parseText({ file: new Blob(), response_format: format }),
  ).resolves.toEqualTypeOf<ParsedText | string>()
  expectTypeOf(farebox.createSpeech({ input: 'Hello' })).resolves.toEqualTypeOf<Media>()
  expectTypeOf(farebox.topUp).parameter(0).toEqualTypeOf<number>()
  expectTypeOf(farebox.transactions()).toEqualTypeOf<AsyncGenerator<LedgerEntry, void, undefined>>()
})

it('a chat completion is whole, or with `stream: true` its chunks', async () => {
  const question: Parameters<Farebox['createChatCompletion']>[0] = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
  }
  for await (const chunk of await farebox.createChatCompletion({ ...question, stream: true }))
    expectTypeOf(chunk).toEqualTypeOf<ChatCompletionChunk>()
  expectTypeOf(
    farebox.createChatCompletion({ ...question, stream: false }),
  ).resolves.toEqualTypeOf<ChatCompletion>()
})

it('returns the data without its envelope', () => {
  expectTypeOf(farebox.listModels()).resolves.toEqualTypeOf<Model[]>()
  expectTypeOf(farebox.getBalance({ walletAddress: '0x0' })).resolves.toEqualTypeOf<
    WalletBalance['data']
  >()
  expectTypeOf(farebox.listModels().withResponse()).resolves.toEqualTypeOf<WithResponse<Model[]>>()
})

it('accepts the voices of a model, and ids of cloned voices', () => {
  void farebox.createSpeech({ input: 'Hello', voice: 'af_sky' })
  void farebox.createSpeech({ input: 'Hello', model: 'tts-xai-v1', voice: 'eve' })
  void farebox.createSpeech({ input: 'Hello', model: 'tts-chatterbox-hd', voice: 'vv_1' })
  // @ts-expect-error -- a voice of another model
  void farebox.createSpeech({ input: 'Hello', model: 'tts-xai-v1', voice: 'af_sky' })
})

it('accepts a file on disk in each media field of a video', () => {
  const video = { model: 'm', prompt: 'p', duration: '5s' } as const
  const file = { path: 'tram.png' }
  void farebox.queueVideo({
    ...video,
    image_url: file,
    end_image_url: { ...file, type: 'image/png' },
    audio_url: file,
    video_url: file,
  })
  void farebox.queueVideo({
    ...video,
    reference_image_urls: [file, 'https://media.example/still.png'],
    scene_image_urls: [file],
  })
  void farebox.queueVideo({
    ...video,
    elements: [{ frontal_image_url: file, reference_image_urls: [file], video_url: file }],
  })
  void farebox.quoteVideo({ model: 'm', duration: '5s', video_url: file })
  void farebox.generateVideo({ ...video, image_url: file })
  // @ts-expect-error -- not a media field
  void farebox.queueVideo({ ...video, prompt: file })
  // @ts-expect-error -- a file is named by its path
  void farebox.queueVideo({ ...video, image_url: { file: 'tram.png' } })
  // @ts-expect-error -- this field has one file
  void farebox.queueVideo({ ...video, image_url: [file] })
})

it('rejects fields and values that the contract does not have', () => {
  // @ts-expect-error -- not a format of the contract
  void farebox.createSpeech({ input: 'Hello', response_format: 'ogg' })
  // @ts-expect-error -- input is required
  void farebox.createSpeech({})
  // @ts-expect-error -- no such operation
  void farebox.deleteEverything
})

it('isFareboxError with an operation and a status types the body', () => {
  const error: unknown = undefined
  if (isFareboxError(error, 'parseText', 402)) {
    expectTypeOf(error.status).toEqualTypeOf<402>()
    expectTypeOf(error.body).toEqualTypeOf<InsufficientBalance | PaymentRequired | StandardError>()
  }
  if (isFareboxError(error, 'parseText', 400))
    expectTypeOf(error.body).toEqualTypeOf<DetailedError>()
  // @ts-expect-error -- the contract declares no 404 for parseText
  isFareboxError(error, 'parseText', 404)
})

it('an error has a code of the SDK, of a package that it uses, or of the service', () => {
  expectTypeOf<FareboxError['code']>().toEqualTypeOf<FareboxErrorCode>()
  expectTypeOf<
    'not_loaded' | 'lost_response' | 'failure_budget' | 'outcome_unknown' | 'http_503'
  >().toExtend<FareboxErrorCode>()
  expectTypeOf<string>().toExtend<FareboxErrorCode>()
})

it('accepts the signers of @farebox/auth', () => {
  expectTypeOf<EvmSigner>().toExtend<NonNullable<FareboxOptions['wallet']>>()
})
