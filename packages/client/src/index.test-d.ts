import type { Call as MiddlewareCall, Middleware, Operation } from '@farebox/middleware'
import type { StandardError, TransactionHistory, VideoStatus } from '@farebox/types'
import { expectTypeOf, it } from 'vitest'
import type { OperationFacts } from './generated/index.js'
import {
  acceptUnexpected,
  createClient,
  type Call,
  type CallOptions,
  type PaidCallOptions,
  type Client,
  type ClientOptions,
  type CreateSpeechInput,
  type CreateSpeechResult,
  type FileInput,
  type Unexpected,
  type UnexpectedResponseError,
} from './index.js'

declare const client: Client

it('the public names have the types of the design', () => {
  expectTypeOf(createClient({ baseUrl: '' })).toEqualTypeOf<Client>()
  expectTypeOf<ClientOptions>().toEqualTypeOf<{
    readonly baseUrl: string
    readonly fetch?: typeof globalThis.fetch
    readonly middleware?: readonly Middleware[]
    readonly maxResponseBytes?: number
  }>()
  expectTypeOf<CallOptions>().toEqualTypeOf<{
    readonly signal?: AbortSignal
    readonly headers?: HeadersInit
  }>()
  expectTypeOf<UnexpectedResponseError>().toExtend<Error>()
  expectTypeOf<UnexpectedResponseError['reason']>().toEqualTypeOf<
    | 'undeclared_status'
    | 'content_type'
    | 'malformed_json'
    | 'empty_body'
    | 'incomplete_body'
    | 'too_large'
  >()
  expectTypeOf<UnexpectedResponseError['response']>().toEqualTypeOf<Response>()
})

it('a client that accepts what is unexpected says so in its results', () => {
  const accepting = createClient({ baseUrl: '', unexpected: acceptUnexpected })
  expectTypeOf(accepting.createSpeech).returns.resolves.toEqualTypeOf<
    CreateSpeechResult | Unexpected
  >()
})

it('a method has a concrete signature', () => {
  expectTypeOf(client.createSpeech).toEqualTypeOf<
    (input: CreateSpeechInput, options?: PaidCallOptions) => Promise<CreateSpeechResult>
  >()
  expectTypeOf(client.getRateLimits)
    .parameter(0)
    .toEqualTypeOf<Readonly<Record<string, never>> | undefined>()
})

it('a response of JSON or bytes is one of them, and an undeclared status cannot be asked for', async () => {
  const video = await client.retrieveVideo({ model: 'local-test-clip', queue_id: 'q' })
  if (video.status === 200) expectTypeOf(video.data).toEqualTypeOf<VideoStatus | Response>()
  // @ts-expect-error 418 is not declared
  if (video.status === 418) throw new Error('never')
})

it('a stream is a file when it can be made anew, and not when it is gone once read', () => {
  expectTypeOf<{ stream: () => ReadableStream<Uint8Array>; name: string }>().toExtend<FileInput>()
  expectTypeOf<ReadableStream>().not.toExtend<FileInput>()
})

it('credentials are no fields of an input, and fields that do not exist are rejected', () => {
  void (() => {
    // @ts-expect-error credentials are middleware's
    void client.getBalance({ walletAddress: '0x0', signInWithX: 'x' })
    // @ts-expect-error there is no such field
    void client.listTransactions({ walletAddress: '0x0', page: 2 })
  })
})

it('calls by path know their parameters, bodies and answers', () => {
  void (async () => {
    const { data, error } = await client.GET('/x402/transactions/{walletAddress}', {
      params: {
        path: { walletAddress: '0x0' },
        query: { limit: 10 },
        header: { 'SIGN-IN-WITH-X': 'x' },
      },
    })
    if (data !== undefined) expectTypeOf(data).toEqualTypeOf<TransactionHistory>()
    if (error !== undefined) expectTypeOf<StandardError>().toExtend<typeof error>()
    // @ts-expect-error a model is required
    void client.POST('/video/retrieve', { body: { queue_id: 'q' } })
  })
})

it("the runtime's Call is the middleware's before a retry numbers it, but that it knows more of the operation", () => {
  expectTypeOf<Omit<Call, 'operation'>>().toEqualTypeOf<
    Omit<MiddlewareCall, 'operation' | 'attempt'>
  >()
  expectTypeOf<OperationFacts>().toExtend<Operation>()
})
