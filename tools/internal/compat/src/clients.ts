import { createOpenAI } from '@ai-sdk/openai'
import { createClient as createHeyApiClient, formDataBodySerializer } from '@hey-api/client-fetch'
import { MutationObserver, QueryClient } from '@tanstack/query-core'
import { ExactEvmScheme } from '@x402/evm'
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch'
import {
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
} from 'ai'
import axios from 'axios'
import ky from 'ky'
import { createFetch } from 'ofetch'
import OpenAI from 'openai'
import createOpenApiClient from 'openapi-fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { fileSize, question, walletKey, type ClientName } from './cases.js'

type Fetch = typeof globalThis.fetch

/** Posts through a client, and gives the text of the response. */
type Post = (fetch: Fetch, baseUrl: string) => Promise<string>

export type Client = {
  readonly json: Post
  readonly form: Post
  /** Whether it answers a 402 by itself, so that `payment` would pay a second time. */
  readonly pays?: true
}

const body = { input: question }
const createBytes = () => new Uint8Array(fileSize).fill(7)
const createFile = () => new File([createBytes()], 'fares.bin', { type: 'application/x-fares' })

function createForm(): FormData {
  const form = new FormData()
  form.set('model', question)
  form.set('file', createFile())
  return form
}

type ParsedText = { readonly text: string }
type Paths = Record<
  '/parse',
  {
    post: {
      requestBody: { content: Record<string, object> }
      responses: { 200: { content: Record<string, ParsedText> } }
    }
  }
>

const createOpenai = (fetch: Fetch, baseURL: string) =>
  new OpenAI({
    baseURL,
    fetch,
    apiKey: 'none',
    maxRetries: 0,
    dangerouslyAllowBrowser: true,
    defaultHeaders: { authorization: null },
  })

const postWithOpenApiFetch = async (fetch: Fetch, baseUrl: string, sent: object) => {
  const { data } = await createOpenApiClient<Paths>({ baseUrl, fetch }).POST('/parse', {
    body: sent,
  })
  return data?.text ?? ''
}

const postWithHeyApi = async (
  fetch: Fetch,
  baseUrl: string,
  sent: object,
  serializer?: typeof formDataBodySerializer,
) => {
  const client = createHeyApiClient({ baseUrl, fetch, throwOnError: true })
  const headers = serializer ? { 'Content-Type': null } : { 'Content-Type': 'application/json' }
  return (await client.post({ url: '/parse', body: sent, headers, ...serializer })).data.text
}

const postWithAxios = async (fetch: Fetch, baseURL: string, sent: object) => {
  const client = axios.create({ baseURL, adapter: 'fetch', env: { fetch } })
  const { data } = await (sent instanceof FormData
    ? client.postForm<ParsedText>('/parse', sent)
    : client.post<ParsedText>('/parse', sent))
  return data.text
}

const postWithKy = async (fetch: Fetch, baseUrl: string, sent: object) =>
  (await ky.post<ParsedText>(`${baseUrl}/parse`, { fetch, retry: 0, ...sent }).json()).text

const postWithOfetch = async (fetch: Fetch, baseURL: string, sent: FormData | object) =>
  (
    await createFetch({ fetch })<ParsedText>('/parse', {
      baseURL,
      method: 'POST',
      body: sent,
      retry: 0,
    })
  ).text

const postWithMutation = async (fetch: Fetch, baseUrl: string, init: RequestInit) => {
  const mutationFn = async () =>
    ((await (await fetch(`${baseUrl}/parse`, { method: 'POST', ...init })).json()) as ParsedText)
      .text
  return new MutationObserver(new QueryClient(), { mutationFn }).mutate()
}

const postWithPayment = async (fetch: Fetch, baseUrl: string, init: RequestInit) => {
  const schemes = [
    { network: 'eip155:8453' as const, client: new ExactEvmScheme(privateKeyToAccount(walletKey)) },
  ]
  const response = await wrapFetchWithPaymentFromConfig(fetch, { schemes })(`${baseUrl}/parse`, {
    method: 'POST',
    ...init,
  })
  return ((await response.json()) as ParsedText).text
}

const asJson = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }

/** Each client as its users call it, with our fetch and without retries of its own. */
export const clients: Readonly<Record<ClientName, Client>> = {
  openai: {
    json: async (fetch, baseUrl) =>
      (
        await createOpenai(fetch, baseUrl).audio.speech.create({
          model: 'tts-kokoro',
          voice: 'af_sky',
          input: question,
        })
      ).text(),
    form: async (fetch, baseUrl) =>
      (
        await createOpenai(fetch, baseUrl).audio.transcriptions.create({
          model: question,
          file: createFile(),
        })
      ).text,
  },
  'AI SDK': {
    json: async (fetch, baseURL) => {
      const model = createOpenAI({ baseURL, fetch, apiKey: 'none' }).speech('tts-kokoro')
      const { audio } = await generateSpeech({ model, text: question, maxRetries: 0 })
      return new TextDecoder().decode(audio.uint8Array)
    },
    form: async (fetch, baseURL) => {
      const model = createOpenAI({ baseURL, fetch, apiKey: 'none' }).transcription(question)
      return (await transcribe({ model, audio: createBytes(), maxRetries: 0 })).text
    },
  },
  'openapi-fetch': {
    json: async (fetch, baseUrl) => postWithOpenApiFetch(fetch, baseUrl, body),
    form: async (fetch, baseUrl) => postWithOpenApiFetch(fetch, baseUrl, createForm()),
  },
  'hey-api client': {
    json: async (fetch, baseUrl) => postWithHeyApi(fetch, baseUrl, body),
    form: async (fetch, baseUrl) =>
      postWithHeyApi(
        fetch,
        baseUrl,
        { model: question, file: createFile() },
        formDataBodySerializer,
      ),
  },
  ky: {
    json: async (fetch, baseUrl) => postWithKy(fetch, baseUrl, { json: body }),
    form: async (fetch, baseUrl) => postWithKy(fetch, baseUrl, { body: createForm() }),
  },
  'axios, fetch adapter': {
    json: async (fetch, baseUrl) => postWithAxios(fetch, baseUrl, body),
    form: async (fetch, baseUrl) => postWithAxios(fetch, baseUrl, createForm()),
  },
  ofetch: {
    json: async (fetch, baseUrl) => postWithOfetch(fetch, baseUrl, body),
    form: async (fetch, baseUrl) => postWithOfetch(fetch, baseUrl, createForm()),
  },
  'TanStack Query': {
    json: async (fetch, baseUrl) => postWithMutation(fetch, baseUrl, asJson),
    form: async (fetch, baseUrl) => postWithMutation(fetch, baseUrl, { body: createForm() }),
  },
  '@x402/fetch': {
    json: async (fetch, baseUrl) => postWithPayment(fetch, baseUrl, asJson),
    form: async (fetch, baseUrl) => postWithPayment(fetch, baseUrl, { body: createForm() }),
    pays: true,
  },
}
