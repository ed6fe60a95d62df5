import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Make } from '@farebox/testing/fault-server'
import { installPeer } from '../peer-versions.js'

type Fetch = typeof globalThis.fetch
type Signal = AbortSignal | undefined

// The part of its interface that the benchmark uses.
type Ai = {
  readonly generateText: (options: {
    readonly model: object
    readonly prompt: string
    readonly abortSignal?: Signal
    readonly timeout?: number
  }) => Promise<unknown>
}
type Request = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch?: Fetch | undefined
  readonly abortSignal?: Signal
  readonly successfulResponseHandler: unknown
  readonly failedResponseHandler: unknown
}
type JsonResult = { readonly value: unknown }
type ProviderUtils = {
  readonly jsonSchema: (schema: object) => unknown
  readonly createJsonResponseHandler: (schema: unknown) => unknown
  readonly createStatusCodeErrorResponseHandler: () => unknown
  readonly getFromApi: (request: Request) => Promise<JsonResult>
  readonly postJsonToApi: (request: Request & { readonly body: object }) => Promise<JsonResult>
}

/**
 * The AI SDK. It repeats the calls of a model, so the requests are those of a model that sends them
 * with its own tools for providers.
 */
export function createAiSdk(
  connecting: (limits: { connectMs?: number }) => { fetch?: Fetch },
): Make {
  return async (origin, limits) => {
    const folder = installPeer('ai')
    const { generateText } = await load<Ai>(join(folder, 'dist/index.js'))
    const utils = await load<ProviderUtils>(
      join(dirname(folder), '@ai-sdk/provider-utils/dist/index.js'),
    )
    const request = (path: string, abortSignal: Signal): Request => ({
      url: `${origin}/api/v1${path}`,
      headers: { authorization: 'Bearer KEY' },
      abortSignal,
      successfulResponseHandler: utils.createJsonResponseHandler(utils.jsonSchema({})),
      failedResponseHandler: utils.createStatusCodeErrorResponseHandler(),
      ...connecting(limits),
    })
    const call =
      (send: (signal: Signal) => Promise<JsonResult>) =>
      async (abortSignal?: AbortSignal): Promise<unknown> => {
        let value: unknown
        const doGenerate = async (options: { readonly abortSignal?: Signal }): Promise<object> => {
          ;({ value } = await send(options.abortSignal))
          return {
            content: [{ type: 'text', text: 'done' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: { inputTokens: {}, outputTokens: {} },
            warnings: [],
          }
        }
        const model = {
          specificationVersion: 'v4',
          provider: 'bench',
          modelId: 'bench',
          supportedUrls: {},
          doGenerate,
        }
        const { timeoutMs: timeout } = limits
        await generateText({ model, prompt: 'x', abortSignal, ...(timeout && { timeout }) })
        return value
      }
    return {
      get: call((signal) => utils.getFromApi(request('/models', signal))),
      post: call((signal) => utils.postJsonToApi({ ...request('/video/queue', signal), body: {} })),
    }
  }
}

function load<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(path).href) as Promise<Module>
}
