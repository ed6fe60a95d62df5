import type { InferenceBackend, InferenceTask } from '../inference/inference.js'

/** A conversation to continue. Checked against the contract, the model and its limits. */
export type ChatTask = InferenceTask & {
  /** The body of the request, without `model`, `n`, the limits and the fields of streams. */
  readonly request: ChatRequest
  /** Completions to make. */
  readonly n: number
  /** Tokens of one completion at most. It ends with `length` there. */
  readonly maxTokens: number
}

/** In OpenAI's names. Fields that are not listed are passed on to upstreams as they are. */
export type ChatRequest = {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ChatTool[]
  readonly tool_choice?:
    | 'none'
    | 'auto'
    | 'required'
    | { readonly type: 'function'; readonly function: { readonly name: string } }
  readonly parallel_tool_calls?: boolean
  readonly response_format?: ChatResponseFormat
  readonly stop?: string | readonly string[] | null
  readonly seed?: number | null
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly frequency_penalty?: number | null
  readonly presence_penalty?: number | null
  readonly logprobs?: boolean | null
  readonly top_logprobs?: number | null
  readonly [field: string]: unknown
}

export type ChatMessage = {
  readonly role: 'developer' | 'system' | 'user' | 'assistant' | 'tool'
  readonly content?: string | readonly ChatContentPart[] | null
  readonly name?: string
  readonly refusal?: string | null
  readonly tool_calls?: readonly ChatToolCall[]
  /** Of a tool message: the call that it answers. */
  readonly tool_call_id?: string
}

export type ChatContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
  | {
      readonly type: 'image_url'
      readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
    }
  | {
      readonly type: 'input_audio'
      /** Base64. */
      readonly input_audio: { readonly data: string; readonly format: string }
    }
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } }

export type ChatToolCall = {
  readonly id: string
  readonly type: 'function'
  /** JSON, as the model wrote it. */
  readonly function: { readonly name: string; readonly arguments: string }
}

export type ChatTool = {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    /** A JSON Schema. */
    readonly parameters?: Readonly<Record<string, unknown>>
    readonly strict?: boolean | null
  }
}

type ChatResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly json_schema: {
        readonly name: string
        readonly description?: string
        readonly schema?: Readonly<Record<string, unknown>>
        readonly strict?: boolean | null
      }
    }

/** The next piece of the completions, as one chunk of OpenAI's stream. */
export type ChatDelta = {
  /** Empty for a piece that has only usage. */
  readonly choices: readonly ChoiceDelta[]
  /** Of the whole task so far. The last one counts. */
  readonly usage?: TokenUsage
}

export type ChoiceDelta = {
  readonly index: number
  readonly delta: {
    readonly role?: 'assistant'
    readonly content?: string | null
    readonly refusal?: string | null
    readonly reasoning_content?: string | null
    readonly tool_calls?: readonly {
      readonly index: number
      readonly id?: string
      readonly type?: 'function'
      readonly function?: { readonly name?: string; readonly arguments?: string }
    }[]
  }
  /** On the last piece of the choice. */
  readonly finish_reason?: FinishReason | null
  readonly logprobs?: unknown
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export type TokenUsage = {
  readonly promptTokens: number
  /** Those of `promptTokens` that were read from a cache. */
  readonly cachedTokens: number
  readonly completionTokens: number
  /** Those of `completionTokens` that are not in the content. */
  readonly reasoningTokens?: number
}

export type ChatBackend = InferenceBackend & {
  /**
   * The pieces of `n` completions, each when it exists; those that arrived together come together.
   * Every completion ends with a `finish_reason`. A part of a local backend is made when the
   * consumer asks for it. Ends early when the signal aborts, with all that was made. Throws an
   * InferenceError for faults that the caller should know. A local backend reports its usage in the
   * last piece.
   */
  readonly complete: (task: ChatTask, signal: AbortSignal) => AsyncIterable<readonly ChatDelta[]>
  /** Names of fields that are not in the contract, and that the backend takes for the model. */
  readonly extraFields?: (model: string) => ReadonlySet<string>
}
