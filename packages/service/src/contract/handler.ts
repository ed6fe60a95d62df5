import type { OperationId, operations } from '@farebox/types/operations'
import type { validators } from '@farebox/zod/operations'
import type * as z from 'zod'
import type { ApiKeys } from '../domain/accounts/api-keys.js'
import type { Caller, KeyCaller, WalletCaller } from '../domain/accounts/authenticate.js'
import type { KeyAdministration } from '../domain/accounts/key-administration.js'
import type { ChatBackend } from '../domain/chat/chat-backend.js'
import type { ChatOrder } from '../domain/chat/read-chat-order.js'
import type { EmbeddingBackend, EmbeddingOrder } from '../domain/embedding/embedding.js'
import type { ImageBackend, ImageOrder } from '../domain/image/image.js'
import type { ImageStore } from '../domain/downloads/downloads.js'
import type { RequestKey } from '../domain/ledger/ledger-types.js'
import type { Ledger } from '../domain/ledger/ledger.js'
import type { MicroUsd } from '../domain/ledger/money.js'
import type { LimitLog } from '../domain/limits/limit-log.js'
import type { MediaReader } from '../domain/media/media-reader.js'
import type { Catalogue } from '../domain/models/catalogue.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import type { Voices } from '../domain/speech/voices.js'
import type { TextParser } from '../domain/text/text-parser.js'
import type {
  TranscriptionBackend,
  TranscriptionOrder,
} from '../domain/transcription/transcription.js'
import type { VideoServices } from '../domain/video/video-worker.js'
import type { WorkCost } from '../platform/upstream/work-cost.js'
import type { Failure, FailureOptions, ResponseHeaders } from './failures.js'
import type { PaymentTerms } from './payment-required.js'

/** The parts of the domain that handlers use. */
export type Services = {
  readonly ledger: Ledger
  readonly terms: PaymentTerms
  readonly catalogue: Catalogue
  readonly textParser: TextParser
  readonly media: MediaReader
  readonly keys: ApiKeys & KeyAdministration
  readonly limitLog: LimitLog
  readonly speech: SpeechBackend
  readonly chat: ChatBackend
  readonly embedding: EmbeddingBackend
  readonly image: ImageBackend
  readonly images: ImageStore
  readonly transcription: TranscriptionBackend
  readonly voices: Voices
  readonly video: VideoServices
  /** Maps the description of a backend to what callers may see (X-Farebox-Backend). */
  readonly shown: (backend: string) => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type Operations = typeof operations
type Validators<Id extends OperationId> = (typeof validators)[Id]
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown
type Part<Id extends OperationId, Name extends string> =
  Validators<Id> extends Readonly<Record<Name, infer Schema>> ? Output<Schema> : unknown
type Body<Id extends OperationId> =
  Validators<Id> extends { readonly body: infer Bodies }
    ? Output<Bodies[keyof Bodies & ('application/json' | 'multipart/form-data')]>
    : unknown
type DeclaredInput<Id extends OperationId> = Part<Id, 'path'> & Part<Id, 'query'> & Body<Id>
/** Fields with a default are required. */
type DefaultedFields<Id extends OperationId> = {
  readonly [Field in keyof Operations[Id]['defaults'] & keyof DeclaredInput<Id>]-?: Exclude<
    DeclaredInput<Id>[Field],
    undefined
  >
}

/**
 * Fields of path, query and body together, validated, with the defaults of the contract. Files are
 * bytes.
 */
export type InputOf<Id extends OperationId> = DeclaredInput<Id> & DefaultedFields<Id>

type Callers = { readonly BearerAuth: KeyCaller; readonly siwx: WalletCaller }
type CallerWith<Schemes extends readonly string[]> = Schemes extends readonly []
  ? Extract<Caller, { readonly kind: 'anonymous' }>
  : Callers[Schemes[number] & keyof Callers]

/** Who can call an operation, by its `security`. */
export type CallerOf<Id extends OperationId> = CallerWith<Operations[Id]['security'][number]>

export type Context<Id extends OperationId> = {
  readonly input: InputOf<Id>
  readonly order: OrderOf<Id>
  /** Names of the fields that the caller gave. The others have their defaults. */
  readonly given: ReadonlySet<string>
  readonly caller: CallerOf<Id>
  /** The name under which limits and shares are counted. */
  readonly callerId: string
  readonly headers: Headers
  /**
   * The Idempotency-Key, if the operation declares one and the caller has an account. No other
   * request runs under it meanwhile.
   */
  readonly idempotency?: RequestKey
  /** Aborts when the client disconnects. It is made on first use, since it is costly. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Collects what upstreams bill for the work. The charge records it. */
  readonly cost: WorkCost
  /**
   * Credits the payment of the request, if any, before `price` is held. Rejects if it is not
   * enough. For work whose handler determines the price.
   */
  readonly fund: (price: MicroUsd) => Promise<void>
  /** What is held for the request. */
  readonly held: () => MicroUsd
  readonly services: Services
}

type Responses<Id extends OperationId> = Validators<Id>['responses']
type NumberOf<Status> = Status extends `${infer Value extends number}` ? Value : never
type JsonIn<Contents> = Contents extends { readonly 'application/json': infer Schema }
  ? Output<Schema>
  : never

/** The JSON body of a declared status. */
export type JsonOf<Id extends OperationId, Status extends keyof Responses<Id>> = JsonIn<
  Responses<Id>[Status]
>

type ContentTypes<Id extends OperationId> =
  Operations[Id]['responses'][keyof Operations[Id]['responses'] & ('200' | 200)] extends {
    readonly contentTypes: readonly (infer Type)[]
  }
    ? Type
    : never

/** The statuses of the contract other than 200, each with its body. */
export type FailureOf<Id extends OperationId> = {
  readonly [Status in Exclude<keyof Responses<Id>, '200'>]: {
    readonly status: NumberOf<Status>
    readonly json: JsonIn<Responses<Id>[Status]>
  } & FailureOptions
}[Exclude<keyof Responses<Id>, '200'>]

/** What the quotes of operations pass on to their handlers: the request, checked and complete. */
type Orders = {
  readonly createChatCompletion: ChatOrder
  readonly createEmbedding: EmbeddingOrder
  readonly createImage: ImageOrder
  readonly createTranscription: TranscriptionOrder
}

type OrderOf<Id extends OperationId> = Id extends keyof Orders ? Orders[Id] : undefined

/** What a request may cost, before its work. */
export type Quote<Id extends OperationId = OperationId> = {
  /** The maximum price. */
  readonly most: MicroUsd
  /** The minimum price. Equal to `most` for work with a fixed price. */
  readonly least: MicroUsd
  /** The tokens that it may use, counted in the tier of the model. */
  readonly tokens?: { readonly tier: string; readonly tokens: number }
  readonly order: OrderOf<Id>
}

type SuccessBody<Id extends OperationId> = Id extends OperationId ? SuccessBodyOf<Id> : never
type SuccessBodyOf<Id extends OperationId> =
  | ('200' extends keyof Responses<Id>
      ? { readonly json: JsonIn<Responses<Id>['200' & keyof Responses<Id>]> }
      : never)
  | ('text/plain' extends ContentTypes<Id> ? { readonly text: string } : never)
  | {
      /** An empty part stands for work that has no bytes yet. */
      readonly stream: AsyncIterable<Uint8Array>
      readonly contentType: Exclude<ContentTypes<Id>, 'application/json' | 'text/plain'>
      /** Whether a short body is sent at once, with its length, when it is complete. */
      readonly inOnePiece?: boolean
      /** The last bytes of a stream that fails midway. Without them, the connection is closed. */
      readonly closingEvent?: (failure: Failure | undefined) => Uint8Array
    }

export type SuccessOf<Id extends OperationId> = SuccessBody<Id> & {
  readonly status: 200
  /** A function is called when the first bytes of a stream exist. */
  readonly headers?: ResponseHeaders | (() => ResponseHeaders)
  /**
   * What the caller owes for the work so far, including parts that were not sent. Read when the
   * response ends or its client disconnects. Never more than the hold is charged. Default: the held
   * price.
   */
  readonly owed?: () => MicroUsd
  /** Whether the work is complete, although its client may have left. Default: it is. */
  readonly isWhole?: () => boolean
  /** The tokens used so far, if the quote has tokens. */
  readonly usedTokens?: () => number
  /** The remaining credit, if the handler itself held some. */
  readonly balance?: MicroUsd
  /** The model that the ledger names when the request is charged. */
  readonly modelId?: string
}

/** A response that the contract declares for the operation: a status with its body. */
export type HandlerResponse<Id extends OperationId> = SuccessOf<Id> | FailureOf<Id>

/**
 * Does the work of an operation. Errors of the domain that it does not handle are mapped by
 * `toFailure`.
 */
export type Handler<Id extends OperationId> = (context: Context<Id>) => Promise<HandlerResponse<Id>>
