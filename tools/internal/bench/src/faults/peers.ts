// The part of each client's interface that the benchmark uses. Each is installed when the benchmark
// runs.
type Fetch = typeof globalThis.fetch
type Signal = { readonly signal?: AbortSignal | undefined }

export type OpenAi = {
  readonly default: new (options: {
    readonly apiKey: string
    readonly baseURL: string
    readonly timeout?: number
    readonly fetch?: Fetch
  }) => {
    readonly get: (path: string, options: Signal) => Promise<unknown>
    readonly post: (path: string, options: Signal & { readonly body: unknown }) => Promise<unknown>
  }
}

export type Stripe = {
  readonly default: new (
    key: string,
    options: {
      readonly host: string
      readonly port: string
      readonly protocol: string
      readonly maxNetworkRetries: number
      readonly telemetry: boolean
      readonly timeout?: number
    },
  ) => { readonly rawRequest: (method: string, path: string, params?: object) => Promise<unknown> }
}

export type OctokitModule = {
  readonly Octokit: new (options: {
    readonly auth: string
    readonly baseUrl: string
    readonly log: Readonly<Record<'debug' | 'info' | 'warn' | 'error', () => void>>
    readonly request: { readonly fetch: Fetch }
    readonly retry: { readonly retries: number }
    readonly throttle: {
      readonly id: string
      readonly onRateLimit: OnLimit
      readonly onSecondaryRateLimit: OnLimit
    }
  }) => {
    readonly request: (
      route: string,
      options: { readonly request: Signal },
    ) => Promise<{ readonly data: unknown }>
  }
}

/** Whether to repeat. */
export type OnLimit = (
  after: number,
  options: { readonly request: { readonly retryCount: number } },
) => boolean

export type Azure = {
  readonly getClient: (
    endpoint: string,
    credential: { readonly key: string },
    options: {
      readonly allowInsecureConnection: boolean
      readonly retryOptions: { readonly maxRetries: number }
      readonly credentials: { readonly apiKeyHeaderName: string }
    },
  ) => {
    readonly path: (path: string) => {
      readonly get: (options: AzureOptions) => Promise<AzureResponse>
      readonly post: (options: AzureOptions & { readonly body: object }) => Promise<AzureResponse>
    }
  }
  readonly createRestError: (response: AzureResponse) => Error
}

export type AzureOptions = {
  readonly abortSignal?: AbortSignal | undefined
  readonly timeout?: number
}
export type AzureResponse = { readonly status: string; readonly body: unknown }

type GotOptions = Signal & {
  readonly headers: Readonly<Record<string, string>>
  readonly responseType: string
  readonly resolveBodyOnly: boolean
  readonly timeout: Readonly<Record<string, number>>
}

export type Got = {
  readonly default: ((url: string, options: GotOptions) => Promise<unknown>) & {
    readonly post: (
      url: string,
      options: GotOptions & { readonly json: object },
    ) => Promise<unknown>
  }
}

type KyOptions = Signal & {
  readonly headers: Readonly<Record<string, string>>
  readonly timeout?: number
  readonly fetch?: Fetch
}
type KyResponse = { readonly json: () => Promise<unknown> }

export type Ky = {
  readonly default: ((url: string, options: KyOptions) => KyResponse) & {
    readonly post: (url: string, options: KyOptions & { readonly json: object }) => KyResponse
  }
}
