import type { OperationId, operations } from '@farebox/types/operations'
import type { validators } from '@farebox/zod/operations'
import type * as z from 'zod'
import type { ApiKeys } from '../domain/accounts/api-keys.js'
import type { Caller } from '../domain/accounts/authenticate.js'
import type { LimitLog } from '../domain/limits/limit-log.js'
import type { Client } from '../http/client.js'
import type { MicroUsd } from '../domain/ledger/money.js'
import type { Ledger } from '../domain/ledger/ledger.js'
import type { MediaReader } from '../domain/media/media-reader.js'
import type { PaymentTerms } from './payment-required.js'
import type { SpeechBackend } from '../domain/speech/speech-backend.js'
import type { Voices } from '../domain/speech/voices.js'
import type { VideoServices } from '../domain/video/video-services.js'
import type { TextParser } from '../domain/text/text-parser.js'

/** What handlers work with. */
export type Services = {
  readonly ledger: Ledger
  readonly terms: PaymentTerms
  readonly textParser: TextParser
  readonly media: MediaReader
  readonly keys: ApiKeys
  readonly limitLog: LimitLog
  readonly speech: SpeechBackend
  readonly voices: Voices
  readonly video: VideoServices
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type Validators<Id extends OperationId> = (typeof validators)[Id]
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown
type Part<Id extends OperationId, Name extends string> =
  Validators<Id> extends Readonly<Record<Name, infer Schema>> ? Output<Schema> : unknown
type Body<Id extends OperationId> =
  Validators<Id> extends { readonly body: infer Bodies }
    ? Output<Bodies[keyof Bodies & ('application/json' | 'multipart/form-data')]>
    : unknown
type Given<Id extends OperationId> = Part<Id, 'path'> & Part<Id, 'query'> & Body<Id>
/** Fields with a default are there. */
type Defaulted<Id extends OperationId> = {
  readonly [Field in keyof (typeof operations)[Id]['defaults'] & keyof Given<Id>]-?: Exclude<Given<Id>[Field], undefined>
}

/** Fields of path, query and body together, validated, with the defaults of the contract. Files are bytes. */
export type InputOf<Id extends OperationId> = Given<Id> & Defaulted<Id>

/** The body of a success, where it is JSON. */
export type JsonOf<Id extends OperationId> =
  Validators<Id> extends { readonly responses: { readonly '200': { readonly 'application/json': infer Schema } } } ? Output<Schema> : never

export type Context<Id extends OperationId> = {
  readonly input: InputOf<Id>
  /** Names of the fields that the caller gave; the others have their defaults. */
  readonly given: ReadonlySet<string>
  readonly caller: Caller
  /** Whom limits and shares are counted against. */
  readonly callerId: string
  readonly request: Request
  readonly client: Client
  readonly requestId: string
  readonly services: Services
}

/** A success. Anything else is thrown as an HttpError. */
export type Answer<Id extends OperationId> = (
  | { readonly json: JsonOf<Id> }
  | { readonly text: string }
  /**
   * Paid for with its first bytes; by a client that leaves before them, with its first part. An
   * empty part says that something was made, and is no bytes yet.
   */
  | { readonly stream: AsyncIterable<Uint8Array>; readonly contentType: string }
) & {
  readonly headers?: Readonly<Record<string, string>>
  /** Credit that is left, when the handler itself took some. */
  readonly balance?: MicroUsd
  /** What the ledger names as the model, when the request is charged. */
  readonly modelId?: string
}

export type Handler<Id extends OperationId> = (context: Context<Id>) => Promise<Answer<Id>>
