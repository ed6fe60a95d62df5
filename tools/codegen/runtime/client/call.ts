/** The facts of an operation that the client acts on: a row of the generated operation table. */
export type OperationFacts = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly security: readonly (readonly string[])[]
  readonly idempotent: boolean
  readonly rateLimit?: string
  readonly parameters: readonly ParameterFacts[]
  readonly body?: BodyFacts
  /** `x-max-file-bytes`: the most that a file of a field may have. */
  readonly maxFileBytes?: Readonly<Record<string, number>>
  readonly responses: Readonly<Record<string, ResponseFacts>>
}

export type ParameterFacts = {
  readonly name: string
  readonly field: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly style: string
  readonly explode: boolean
  readonly allowReserved?: boolean
  readonly mediaType?: string
  readonly credential?: boolean
}

export type BodyFacts = {
  readonly required: boolean
  readonly contentType: string
  readonly flatten: 'fields' | 'body'
  readonly fields?: readonly string[]
  /** The fields that take a file; `body` when the whole body does. */
  readonly files?: readonly string[]
  readonly encoding?: Readonly<
    Record<string, { readonly contentType?: string; readonly style?: string; readonly explode?: boolean; readonly allowReserved?: boolean }>
  >
}

export type ResponseFacts = {
  readonly contentTypes: readonly string[]
  readonly kind: 'json' | 'text' | 'binary' | 'mixed' | 'empty'
  /** Where it is mixed, the kind of each media type. */
  readonly kinds?: readonly ('json' | 'text' | 'binary')[]
}

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

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'
type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : never

/** The hundred statuses of a class: `StatusRange<'4'>` is 400 to 499. */
export type StatusRange<Class extends '1' | '2' | '3' | '4' | '5'> = NumberOf<`${Class}${Digit}${Digit}`>
