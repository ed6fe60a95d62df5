/**
 * An operation as its call needs it: facts, and the functions of this runtime that it uses. They
 * are imported where they are used, so that a bundle with one operation holds nothing else.
 */
export type OperationFacts = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly security: readonly (readonly string[])[]
  readonly idempotent: boolean
  readonly rateLimit?: string
  /** The limits of that class in a window, by plan, if the contract states them. */
  readonly limits?: Readonly<
    Record<string, { readonly requests: number; readonly tokens?: number }>
  >
  /** `x-discovery`: the status that answers a request without a payment. */
  readonly discovery?: number
  /** The most that a call may cost, in USD, by `x-payment-info`. */
  readonly maxUsd?: number
  /** Those of the path come first. Absent if there are none. */
  readonly parameters?: readonly ParameterFacts[]
  /** Writes the parameters into the call. Absent if there are none. */
  readonly put?: (
    draft: Draft,
    operation: OperationFacts,
    input: Readonly<Record<string, unknown>>,
  ) => void
  readonly body?: BodyFacts
  /** The media types of all responses, those of success first. */
  readonly accept?: string
  /** By status, range (`4XX`) or `default`. */
  readonly responses: Readonly<Record<string, ResponseReaders>>
  /** Finds the response of a status that is not listed. Default: it is undeclared. */
  readonly otherwise?: (
    responses: Readonly<Record<string, ResponseReaders>>,
    status: number,
  ) => ResponseReaders | undefined
}

export type ParameterFacts = {
  readonly name: string
  /** The field of the flat input. Default: `name`. */
  readonly field?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly style?: string
  readonly explode?: boolean
  readonly allowReserved?: boolean
  readonly mediaType?: string
  /** Returns the text of a value; undefined for an array or a record without members. */
  readonly write: (parameter: ParameterFacts, value: unknown) => string | undefined
  readonly put: (
    draft: Draft,
    text: string,
    operation: OperationFacts,
    parameter: ParameterFacts,
  ) => void
  /** Called when there is no text. Default: the parameter is left out. */
  readonly missing?: (operation: OperationFacts, parameter: ParameterFacts) => void
}

/** A call that is being built. */
export type Draft = {
  /** Relative to the base URL. */
  path: string
  readonly headers: Headers
}

export type BodyFacts = {
  readonly required?: boolean
  readonly contentType: string
  /** Takes the body from the input; undefined if there is none. */
  readonly take: (
    operation: OperationFacts,
    body: BodyFacts,
    input: Readonly<Record<string, unknown>>,
  ) => unknown
  readonly encode: (
    value: unknown,
    body: BodyFacts,
    operation: OperationFacts,
  ) => PreparedBody | Promise<PreparedBody>
  /** The fields that take a file; `body` if the whole body is one. */
  readonly files?: readonly string[]
  /** Those of `files` that take other values too. */
  readonly alsoValues?: readonly string[]
  /** `x-max-file-bytes`: the largest file of each field. */
  readonly maxFileBytes?: Readonly<Record<string, number>>
  /** The types of the parts of a sequence, by their place. */
  readonly parts?: { readonly prefix: readonly string[]; readonly rest?: string }
  readonly encoding?: Readonly<
    Record<
      string,
      {
        readonly contentType?: string
        readonly style?: string
        readonly explode?: boolean
        readonly allowReserved?: boolean
      }
    >
  >
}

/** What fetch takes as a body. A name of its own, since only the DOM library has `BodyInit`. */
export type Body = NonNullable<RequestInit['body']>

export type PreparedBody = { readonly body: Body | (() => Body); readonly contentType?: string }

/** The declared media types of a response, the most specific first, each with its reader. */
export type ResponseReaders = readonly (readonly [
  mediaType: string,
  read: ResponseReader,
  /** Default: equality. */
  fits?: (declared: string, found: string) => boolean,
])[]

/** Reads a response of a matching media type. JSON and text are read up to `maxBytes`. */
export type ResponseReader = (
  operation: OperationFacts,
  response: Response,
  maxBytes: number,
  signal?: AbortSignal,
) => unknown

/**
 * One request as plain data, so that it can be sent again. A body that can be read only once is
 * given as a function that makes it.
 */
export type Call = {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: Body | (() => Body | Promise<Body | undefined>) | null
  /** The caller's own signal. */
  readonly signal?: AbortSignal
  readonly operation?: OperationFacts
  /** The most that may be paid for it, in USD. */
  readonly maxUsd?: number
  /** Handed to fetch unchanged: `credentials`, `cache`, `redirect` and so on. */
  readonly init?: CallInit
}

/** The fields of fetch's init that have no field of their own in a call. */
export type CallInit = Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'>

/** One round trip to the server. */
export type Send = (call: Call) => Promise<Response>

export type CallOptions = {
  readonly signal?: AbortSignal
  /** Added to the call. They replace headers that the client sets. */
  readonly headers?: NonNullable<RequestInit['headers']>
}

/** Options of a call of an operation with `x-payment-info`. */
export type PaidCallOptions = CallOptions & {
  /**
   * The most that middleware may pay for this call, in USD. Default: what the document states, if
   * it states a maximum.
   */
  readonly maxUsd?: number
}

/** A successful response: one of the declared statuses, its data, and the Response itself. */
export type Success<Status, Data> = {
  readonly status: Status
  readonly data: Data
  readonly error?: undefined
  readonly response: Response
}

/** A response with another declared status. It is returned, not thrown. */
export type Failure<Status, Error> = {
  readonly status: Status
  readonly data?: undefined
  readonly error: Error
  readonly response: Response
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : never

/** The hundred statuses of a class: `StatusRange<'4'>` is 400 to 499. */
export type StatusRange<Class extends '1' | '2' | '3' | '4' | '5'> =
  NumberOf<`${Class}${Digit}${Digit}`>
