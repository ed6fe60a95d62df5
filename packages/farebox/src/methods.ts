import type { CallOptions, CreateSpeechInput, Operations, ParseTextInput } from '@farebox/client'
import type { RetryOptions } from '@farebox/retry'
import type { ParsedText } from '@farebox/types'
import type { modelVoices, OperationId, operations } from '@farebox/types/operations'
import type { WithLocalMedia } from './local-media.js'
import type { FareboxCall } from './with-response.js'

type Result<Id extends OperationId> = Awaited<ReturnType<Operations[Id]>>

/**
 * The data of a successful operation: the subject of its response. Where the contract wraps it in
 * an envelope (`{ success, data }`, `{ object, data }`), that is what stands in `data`.
 */
export type Data<Id extends OperationId> = Subject<Extract<Result<Id>, { readonly data: unknown }>['data']>

type Subject<Body> = Body extends Response ? Media : Body extends { readonly data: infer Subject } ? Subject : Body

/** The statuses that the contract declares for an operation's failures. */
export type ErrorStatus<Id extends OperationId> = Extract<Result<Id>, { readonly error: unknown }>['status']

/** The body that the contract declares for one failure of an operation. */
export type ErrorBody<Id extends OperationId, Status> = Extract<Result<Id>, { readonly error: unknown; readonly status: Status }>['error']

/**
 * One method for each operation: it returns the data and throws `FareboxError`. The keys are those
 * of the client's own type, not a union of names, so that an editor shows the documentation of each
 * method and finds its definition.
 */
export type Methods = {
  readonly [Id in keyof Operations]: Id extends 'parseText'
    ? ParseText
    : Id extends 'createSpeech'
      ? CreateSpeech
      : Id extends 'createVoice'
        ? (...args: Arguments<Id>) => FareboxCall<Data<Id> & { readonly id: ClonedVoiceId }>
        : Id extends 'queueVideo' | 'quoteVideo'
          ? (input: WithLocalMedia<Parameters<Operations[Id]>[0]>, options?: FareboxCallOptions) => FareboxCall<Data<Id>>
          : (...args: Arguments<Id>) => FareboxCall<Data<Id>>
}

/**
 * What a type parameter stands for when nothing is given for it. A default instead would be all
 * that an editor offers.
 */
declare const omitted: unique symbol
type Omitted = typeof omitted

/** The form of the result follows `response_format`: `json`, the default, or `text`. */
type ParseText = <const Format extends 'json' | 'text' | Omitted>(
  input: Omit<ParseTextInput, 'response_format'> & { readonly response_format?: Format },
  options?: FareboxCallOptions,
) => FareboxCall<Omitted extends Format ? ParsedText : Format extends 'text' ? string : ParsedText>

/** The voices are those of the model, or a cloned one. */
type CreateSpeech = <const Model extends NonNullable<CreateSpeechInput['model']> | Omitted>(
  input: Omit<CreateSpeechInput, 'model' | 'voice'> & {
    readonly model?: Model
    readonly voice?: VoiceOf<Omitted extends Model ? DefaultModel : Model>
  },
  options?: FareboxCallOptions,
) => FareboxCall<Media>

/** The handle of a cloned voice. */
type ClonedVoiceId = `vv_${string}`

type DefaultModel = (typeof operations)['createSpeech']['defaults']['model']
type VoiceOf<Model> = Model extends keyof typeof modelVoices
  ? (typeof modelVoices)[Model]['voices'][number] | ClonedVoiceId
  : CreateSpeechInput['voice']

type Arguments<Id extends OperationId> =
  Parameters<Operations[Id]> extends [input: infer Input, options?: unknown]
    ? [input: Input, options?: FareboxCallOptions]
    : [input?: Parameters<Operations[Id]>[0], options?: FareboxCallOptions]

/** The options of one call. They win over those of `createFarebox`. */
export type FareboxCallOptions = CallOptions & {
  /** The time limit of each attempt of this call, in milliseconds. */
  readonly timeoutMs?: number
  /** `false` sends this call once. */
  readonly retry?: RetryOptions | false
}

/** A response of bytes, such as audio or video. */
export type Media = Response & {
  /**
   * Writes the body to a file, as it arrives (Node, Bun, Deno). A file that is complete replaces
   * one of that name; a body that breaks off leaves none.
   */
  readonly saveTo: (path: string) => Promise<void>
}
