/**
 * An operation as its call needs it: facts, and the pieces of this runtime that act on them. A piece is named by import where it is used,
 * so that a bundle with one operation holds what that one needs and nothing else.
 */
export type OperationFacts = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly security: readonly (readonly string[])[]
  readonly idempotent: boolean
  readonly rateLimit?: string
  /** The figures of that class in a window, by plan, where the contract states them. */
  readonly limits?: Readonly<Record<string, { readonly requests: number; readonly tokens?: number }>>
  /** `x-discovery`: the status that answers a request without a payment. */
  readonly discovery?: number
  /** Those of the path before the others. */
  readonly parameters: readonly ParameterFacts[]
  /** Absent where there are none. */
  readonly put?: (draft: Draft, operation: OperationFacts, input: Readonly<Record<string, unknown>>) => void
  readonly body?: BodyFacts
  /** The media types of all answers, those of success first. */
  readonly accept?: string
  /** By status, range (`4XX`) or `default`. */
  readonly responses: Readonly<Record<string, Answer>>
  /** The answer of a status that is not named itself. Default: it is undeclared. */
  readonly otherwise?: (responses: Readonly<Record<string, Answer>>, status: number) => Answer | undefined
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
  /** The text of a value; nothing for a list or a record without members. */
  readonly write: (parameter: ParameterFacts, value: unknown) => string | undefined
  readonly put: (draft: Draft, text: string, operation: OperationFacts, parameter: ParameterFacts) => void
  /** What to do where there is no text. Default: nothing. */
  readonly missing?: (operation: OperationFacts, parameter: ParameterFacts) => void
}

/** A call that is being made. */
export type Draft = {
  /** Behind the base URL. */
  path: string
  readonly headers: Headers
}

export type BodyFacts = {
  readonly required?: boolean
  readonly contentType: string
  /** What of the input is the body; nothing where there is none. */
  readonly take: (operation: OperationFacts, body: BodyFacts, input: Readonly<Record<string, unknown>>) => unknown
  readonly encode: (value: unknown, body: BodyFacts, operation: OperationFacts) => PreparedBody | Promise<PreparedBody>
  /** The fields that take a file; `body` when the whole body does. */
  readonly files?: readonly string[]
  /** Those of them that take other values too. */
  readonly alsoValues?: readonly string[]
  /** `x-max-file-bytes`: the most that a file of a field may have. */
  readonly maxFileBytes?: Readonly<Record<string, number>>
  readonly encoding?: Readonly<
    Record<string, { readonly contentType?: string; readonly style?: string; readonly explode?: boolean; readonly allowReserved?: boolean }>
  >
}

export type PreparedBody = { readonly body: BodyInit | (() => BodyInit); readonly contentType?: string }

/** The media types that are declared for an answer, the closest first, and how each is read. Nothing is an answer without a body. */
export type Answer = readonly (readonly [
  mediaType: string,
  read: Read,
  /** Default: the very same media type. */
  fits?: (declared: string, found: string) => boolean,
])[]

/** Reads an answer whose media type fits, JSON and text no further than so many bytes. */
export type Read = (operation: OperationFacts, response: Response, maxBytes: number, signal?: AbortSignal) => unknown

/** One request as plain data: it can be sent again, as a body that can be read only once is given as a function that makes it. */
export type Call = {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: BodyInit | (() => BodyInit) | null
  /** The caller's own signal. */
  readonly signal?: AbortSignal
  readonly operation?: OperationFacts
  /** Handed to fetch unchanged: `credentials`, `cache`, `redirect` and so on. */
  readonly init?: CallInit
}

/** The fields of fetch's init that a call does not name itself. */
export type CallInit = Omit<RequestInit, 'method' | 'headers' | 'body' | 'signal'>

/** One trip to the server and back. */
export type Send = (call: Call) => Promise<Response>

export type CallOptions = {
  readonly signal?: AbortSignal
  /** Added to the call; they win over what the client sets. */
  readonly headers?: HeadersInit
}

/** An answer of success: one of the statuses that the contract declares, what it says, and the Response itself. */
export type Success<Status, Data> = { readonly status: Status; readonly data: Data; readonly response: Response }

/** An answer of another declared status. It is returned; nothing is thrown. */
export type Failure<Status, Error> = { readonly status: Status; readonly error: Error; readonly response: Response }

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : never

/** The hundred statuses of a class: `StatusRange<'4'>` is 400 to 499. */
export type StatusRange<Class extends '1' | '2' | '3' | '4' | '5'> = NumberOf<`${Class}${Digit}${Digit}`>
