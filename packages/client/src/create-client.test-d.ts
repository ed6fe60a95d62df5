import type * as middleware from '@farebox/middleware'
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatStreamError,
  CreateSpeechRequest,
  DetailedError,
  IdempotencyConflict,
  NeedsConsentError,
  ParsedText,
} from '@farebox/types'
import type { operations, OperationId } from '@farebox/types/operations'
import { expectTypeOf, test } from 'vitest'
import type { OperationFacts, Send } from './generated/index.js'
import {
  createClient,
  type Call,
  type Client,
  type CreateChatCompletionInput,
  type CreateSpeechInput,
  type FileInput,
  type Operations,
  type ParseTextResult,
} from './index.js'

const client: Client = createClient({ baseUrl: 'http://127.0.0.1:4020/api/v1' })

test('there is one method for each operation, and no other', () => {
  expectTypeOf<keyof Operations>().toEqualTypeOf<OperationId>()
})

test('a result is told apart by its status', () => {
  const result = {} as ParseTextResult
  if (result.status === 200) {
    expectTypeOf(result.data).toEqualTypeOf<ParsedText | string>()
    expectTypeOf(result.error).toEqualTypeOf<undefined>()
  } else if (result.status === 400) {
    expectTypeOf(result.error).toEqualTypeOf<DetailedError>()
    expectTypeOf(result.data).toEqualTypeOf<undefined>()
  } else {
    expectTypeOf(result.status).toEqualTypeOf<401 | 402 | 403 | 409 | 413 | 429 | 500 | 503>()
  }
  expectTypeOf(result.response).toEqualTypeOf<Response>()
})

test('a result can be destructured, and its error decides whether there is data', async () => {
  const { data, error } = await client.parseText({ file: new Blob() })
  if (error) expectTypeOf(data).toEqualTypeOf<undefined>()
  else expectTypeOf(data).toEqualTypeOf<ParsedText | string>()
})

test('sound is the response itself, and consent is asked for in a shape of its own', () => {
  expectTypeOf<
    Extract<Awaited<ReturnType<Client['createSpeech']>>, { status: 200 }>['data']
  >().toEqualTypeOf<Response>()
  type Conflict = Extract<Awaited<ReturnType<Client['queueVideo']>>, { status: 409 }>['error']
  expectTypeOf<Conflict>().toEqualTypeOf<NeedsConsentError | IdempotencyConflict>()
})

test('a stream has chunks, and a call without it a whole completion', async () => {
  const question: CreateChatCompletionInput = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }],
  }
  const streamed = await client.createChatCompletion({ ...question, stream: true })
  if (streamed.status === 200)
    for await (const { data } of streamed.data)
      expectTypeOf(data).toEqualTypeOf<ChatCompletionChunk | ChatStreamError>()
  const whole = await client.createChatCompletion({ ...question, stream: false })
  if (whole.status === 200) expectTypeOf(whole.data).toEqualTypeOf<ChatCompletion>()
})

test('the input is one flat object', () => {
  expectTypeOf<
    { readonly idempotencyKey?: string } & CreateSpeechRequest
  >().toExtend<CreateSpeechInput>()
  expectTypeOf<Parameters<Client['listTransactions']>[0]>().toEqualTypeOf<{
    readonly walletAddress: string
    readonly limit?: number
    readonly offset?: number | null
  }>()
  void (() => {
    // @ts-expect-error the text is missing
    void client.createSpeech({ voice: 'af_sky' })
    // @ts-expect-error there is no such format
    void client.createSpeech({ input: 'Fares', response_format: 'ogg' })
    // @ts-expect-error optional is not undefined
    void client.createSpeech({ input: 'Fares', speed: undefined })
    // @ts-expect-error an address is asked for
    void client.getBalance()
    void client.listModels()
    void client.topUp()
  })
})

test('a file is what can be sent', () => {
  expectTypeOf<Parameters<Client['parseText']>[0]['file']>().toEqualTypeOf<FileInput>()
  expectTypeOf<Blob>().toExtend<FileInput>()
  expectTypeOf<File>().toExtend<FileInput>()
  expectTypeOf<Uint8Array>().toExtend<FileInput>()
  expectTypeOf<{ path: string }>().toExtend<FileInput>()
  expectTypeOf<() => ReadableStream<Uint8Array>>().toExtend<FileInput>()
  expectTypeOf<string>().not.toExtend<FileInput>()
})

test('calls by path are typed as openapi-fetch types them', () => {
  type ByPath = NonNullable<Awaited<ReturnType<typeof get>>['data']>
  const get = () => client.GET('/models/{id}', { params: { path: { id: 'tts-kokoro' } } })
  expectTypeOf<ByPath>().toHaveProperty('model_spec')
  void (() => {
    // @ts-expect-error there is no such path
    void client.GET('/fares')
  })
})

test('a call of the client is a call of the middleware, and what it knows of its operation is an operation to that', () => {
  expectTypeOf<Call>().toExtend<middleware.Call>()
  expectTypeOf<middleware.Send>().toExtend<Send>()
  expectTypeOf<(typeof operations)[OperationId]>().toExtend<middleware.Operation>()
  expectTypeOf<OperationFacts>().toExtend<middleware.Operation>()
})
