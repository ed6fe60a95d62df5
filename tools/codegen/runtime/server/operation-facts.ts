import type { Shape, Shapes } from './shape.js'

/** An operation as the server needs it. Its functions are those of this runtime that it uses. */
export type OperationFacts = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
  /** Any one of these sets of schemes admits the caller. The server does not enforce it. */
  readonly security: readonly (readonly string[])[]
  readonly idempotent: boolean
  readonly parameters: readonly ParameterFacts[]
  /** Validates the parameters of each place. */
  readonly valid: Readonly<Partial<Record<Place, Validator>>>
  readonly body?: BodyFacts
  /** By status, range (`4XX`) or `default`. */
  readonly responses: Readonly<Record<string, readonly ResponseFacts[]>>
}

/** The parts of a request that have parameters. `querystring` is the query as one value. */
export type Place = 'path' | 'query' | 'headers' | 'cookies' | 'querystring'

export type ParameterFacts = {
  readonly name: string
  readonly in: Place
  readonly style: string
  readonly explode: boolean
  /** Of a querystring only: the other places have a validator that says it. */
  readonly required?: true
  /** An empty text that is no value of the parameter stands for none. */
  readonly allowEmptyValue?: true
  readonly mediaType?: string
  readonly shape: Shape
}

export type BodyFacts = {
  readonly required: boolean
  readonly contents: readonly ContentFacts[]
}

export type ContentFacts = {
  readonly type: string
  readonly read: ReadBody
  readonly shape?: Shape
  readonly encoding?: Readonly<
    Record<
      string,
      { readonly contentType?: string; readonly style?: string; readonly explode?: boolean }
    >
  >
  /** Absent where the schema describes what the text stands for, as that of XML does. */
  readonly valid?: Validator
}

/** Reads a body of a matching media type. Throws `RejectedRequest`. */
export type ReadBody = (source: Source, content: ContentFacts, operation: OperationFacts) => unknown

export type Source = {
  readonly request: Request
  readonly maxBytes: number
  readonly shapes: Shapes
}

export type ResponseFacts = {
  readonly type: string
  readonly write: WriteBody
  readonly hasParts?: true
}

/** `boundary` is what parts are told apart by. */
export type WriteBody = (value: unknown, boundary: string) => SerializedBody

/** What a response of bytes is made from. */
export type Bytes = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | ReadableStream<Uint8Array>

export type SerializedBody = string | Bytes

/**
 * A schema of zod, of any flavour. The type says no more, as the compiler would compare every
 * validator with it.
 */
export type Validator = object

/** What zod says of a value, in all flavours. */
export type Issue = {
  readonly code?: string
  readonly message: string
  readonly path: readonly PropertyKey[]
}

/** The fault of one part of a request. */
export type Problem = {
  /** The part, as `query.limit` or `body.items.0.name`. */
  readonly where: string
  /** The kind of the value, and never the value itself, which may be secret. */
  readonly found: string
  readonly expected: string
}
