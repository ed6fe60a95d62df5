import type {
  CallOptions,
  CreateChatCompletionInput,
  CreateSpeechInput,
  ItemStream,
  Operations,
  ParseTextInput,
} from '@farebox/client'
import type { RetryOptions } from '@farebox/retry'
import type { ChatCompletion, ChatCompletionChunk, ParsedText } from '@farebox/types'
import type { modelVoices, OperationId, operations } from '@farebox/types/operations'
import type { WithLocalMedia } from './local-media.js'
import type { FareboxCall, Media } from './result.js'

/** The options of one call. They override those of `createFarebox`. */
export type FareboxCallOptions = CallOptions & {
  /** The time limit of each attempt of this call, in milliseconds. */
  readonly timeoutMs?: number
  /** `false` sends this call once. */
  readonly retry?: RetryOptions | false
  /**
   * The Idempotency-Key of an operation that takes one. Calls with the same key and input are
   * charged once, also after a restart. Default: a new key for each call.
   */
  readonly idempotencyKey?: string
}

type Result<Id extends OperationId> = Awaited<ReturnType<Operations[Id]>>

/**
 * The data of a successful operation: the body of its response, or what an envelope
 * (`{ success, data }`, `{ object, data }`) holds in `data`. For events, the data of each, without
 * those of an error, which are thrown.
 */
export type Data<Id extends OperationId> = Unwrap<
  Extract<Result<Id>, { readonly data: unknown }>['data']
>

type Unwrap<Body> = Body extends Response
  ? Media
  : Body extends ItemStream<infer Event>
    ? ItemStream<
        Event extends { readonly data: infer Data }
          ? Exclude<Data, { readonly error: object }>
          : Event
      >
    : Body extends { readonly data: infer Data }
      ? Data
      : Body

/**
 * One method for each operation: it returns the data and throws `FareboxError`. The keys are those
 * of the client's own type, not a union of names, so that an editor finds the documentation and the
 * definition of each method.
 */
export type Methods = {
  readonly [Id in keyof Operations]: Id extends 'parseText'
    ? ParseText
    : Id extends 'createChatCompletion'
      ? CreateChatCompletion
      : Id extends 'createSpeech'
        ? CreateSpeech
        : Id extends 'createVoice'
          ? (...args: Arguments<Id>) => FareboxCall<Data<Id> & { readonly id: ClonedVoiceId }>
          : Id extends 'queueVideo' | 'quoteVideo'
            ? (
                input: WithLocalMedia<WithoutKey<Parameters<Operations[Id]>[0]>>,
                options?: FareboxCallOptions,
              ) => FareboxCall<Data<Id>>
            : (...args: Arguments<Id>) => FareboxCall<Data<Id>>
}

/**
 * The type argument of an omitted option. With a default instead, an editor would complete nothing
 * but the default.
 */
interface OmittedOption {
  readonly omitted: never
}

/** The result depends on `response_format`: `json`, the default, or `text`. */
type ParseText = <const Format extends 'json' | 'text' | OmittedOption>(
  input: Omit<ParseTextInput, 'response_format' | 'idempotencyKey'> & {
    readonly response_format?: Format
  },
  options?: FareboxCallOptions,
) => FareboxCall<
  OmittedOption extends Format ? ParsedText : Format extends 'text' ? string : ParsedText
>

/** With `stream: true` the chunks as they arrive, else the whole completion. */
type CreateChatCompletion = {
  (
    input: WithoutKey<CreateChatCompletionInput> & { readonly stream: true },
    options?: FareboxCallOptions,
  ): FareboxCall<ItemStream<ChatCompletionChunk>>
  (
    input: WithoutKey<CreateChatCompletionInput> & { readonly stream?: false | null },
    options?: FareboxCallOptions,
  ): FareboxCall<ChatCompletion>
  (
    input: WithoutKey<CreateChatCompletionInput>,
    options?: FareboxCallOptions,
  ): FareboxCall<ChatCompletion | ItemStream<ChatCompletionChunk>>
}

/** `voice` is one of the model's, or a cloned one. */
type CreateSpeech = <const Model extends NonNullable<CreateSpeechInput['model']> | OmittedOption>(
  input: Omit<CreateSpeechInput, 'model' | 'voice' | 'idempotencyKey'> & {
    readonly model?: Model
    readonly voice?: Voice<OmittedOption extends Model ? DefaultModel : Model>
  },
  options?: FareboxCallOptions,
) => FareboxCall<Media>

/** The handle of a cloned voice. */
type ClonedVoiceId = `vv_${string}`

type DefaultModel = (typeof operations)['createSpeech']['defaults']['model']
type Voice<Model> = Model extends keyof typeof modelVoices
  ? (typeof modelVoices)[Model]['voices'][number] | ClonedVoiceId
  : CreateSpeechInput['voice']

type Arguments<Id extends OperationId> =
  Parameters<Operations[Id]> extends [input: infer Input, options?: unknown]
    ? [input: WithoutKey<Input>, options?: FareboxCallOptions]
    : [input?: WithoutKey<Parameters<Operations[Id]>[0]>, options?: FareboxCallOptions]

/** The key is an option of the call. */
type WithoutKey<Input> = Input extends { readonly idempotencyKey?: string }
  ? Omit<Input, 'idempotencyKey'>
  : Input
