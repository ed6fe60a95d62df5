import type { Json, Notes, Origin, Schema } from './schema.js'

/** The whole API as emitters see it: names are unique, order is fixed, nothing is open. */
export type Api = {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** The entry file, relative to the working directory: what banners name. */
  readonly source: string
  readonly servers: readonly Server[]
  readonly securitySchemes: readonly SecurityScheme[]
  /** `components.schemas`, each after those it needs, as far as cycles allow. */
  readonly schemas: readonly NamedSchema[]
  readonly operations: readonly Operation[]
  /** Whether values of schemas are other ones in programs than in JSON (`as`). */
  readonly isConverted?: true
  /** The document's own `x-` fields. */
  readonly extensions: Readonly<Record<string, Json>>
  /** The line of something in the document. Costs a second parse of the file, once. */
  readonly locate: (origin: Origin) => Origin & { readonly line: number; readonly column: number }
}

export type Server = {
  /** With variables in braces. Absolute if written so, or if the document has a URL. */
  readonly url: string
  readonly name?: string
  readonly description?: string
  readonly variables: Readonly<Record<string, ServerVariable>>
}

export type ServerVariable = {
  readonly default: string
  /** The allowed values. Empty: any. */
  readonly values: readonly string[]
  readonly description?: string
}

export type SecurityScheme = {
  readonly name: string
  readonly kind: 'http' | 'apiKey' | 'oauth2' | 'openIdConnect' | 'mutualTLS'
  readonly description?: string
  readonly deprecated: boolean
  /** Of HTTP: `bearer`, `basic` or another. */
  readonly scheme?: string
  /** Of an API key: its place, and its name there. */
  readonly in?: 'header' | 'query' | 'cookie'
  readonly parameter?: string
  /** Of OAuth: the flows by their names. */
  readonly flows?: Readonly<Record<string, OAuthFlow>>
  /** Of OpenID Connect: where the provider describes itself. */
  readonly openIdConnectUrl?: string
}

export type OAuthFlow = {
  /** `tokenUrl` and the others, by their names. */
  readonly urls: Readonly<Record<string, string>>
  /** The scopes that a token may have, each with its description. */
  readonly scopes: Readonly<Record<string, string>>
}

export type NamedSchema = {
  /** A TypeScript identifier, unique among schemas and operations' own names. */
  readonly name: string
  /** The name in the document. */
  readonly key: string
  readonly schema: Schema
  /** Reached again from itself. */
  readonly cyclic: boolean
  /** The file that contains it, relative to the working directory. */
  readonly origin: Origin
}

export const methods = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
] as const

/** A method with its own field, or one of `additionalOperations` as it is sent. */
export type Method = (typeof methods)[number] | (string & {})

/** The method as it is sent. */
export function sentMethod(method: Method): string {
  return methods.some((known) => known === method) ? method.toUpperCase() : method
}

export type Operation = {
  /** A unique camelCase identifier: from the operationId, else from method and path. */
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated: boolean
  /**
   * Any one of these sets authorizes the caller; an empty set needs no credentials. There is at
   * least one: `[[]]` is an operation without credentials.
   */
  readonly security: readonly (readonly string[])[]
  /** For each of these sets, the scopes that it requires by scheme. Absent without any scope. */
  readonly scopes?: readonly Readonly<Record<string, readonly string[]>>[]
  /** Its own servers or those of its path. Empty: those of the document. */
  readonly servers: readonly Server[]
  /** `x-idempotent`, else by the method (RFC 9110, section 9.2.2). */
  readonly idempotent: boolean
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  readonly responses: readonly Response[]
  /** Its `x-` fields. */
  readonly extensions: Readonly<Record<string, Json>>
  readonly payment?: PaymentInfo
  readonly origin: Origin
}

/**
 * The payment of an operation, as its `x-payment-info` states it: by the payment discovery draft
 * (`amount` and `currency`, or `offers` with these), or by the `price` that indexers of x402 read.
 */
export type PaymentInfo = {
  /** The most that a call costs, in USD. Undefined if only the response 402 states it. */
  readonly maxUsd?: number
  /** The least, if it is less. */
  readonly minUsd?: number
  /**
   * The most that a payment for a call may be: `maxUsd`, unless `amount` is null, which says that a
   * payment can exceed the price.
   */
  readonly capUsd?: number
  /** Such as `x402`. */
  readonly protocols: readonly string[]
}

export type ParameterStyle =
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'simple'
  | 'label'
  | 'matrix'
  | 'cookie'

export type Parameter = {
  /** As it is sent. */
  readonly name: string
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  /**
   * The field of the flat input: the name, for a header in camelCase. It is prefixed by the place
   * if a parameter of a higher place (path, query, header, cookie) or a body has that name.
   */
  readonly field: string
  readonly required: boolean
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly allowReserved: boolean
  /** Of a query: a request may name the parameter and give it no value. */
  readonly allowEmptyValue?: true
  /** Given when the parameter has `content` instead of `schema`: its media type. */
  readonly mediaType?: string
  readonly schema: Schema
  readonly notes: Notes
  /** A security scheme of the operation sets it, so the input has no field for it. */
  readonly credential: boolean
}

export type Encoding = {
  readonly contentType?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  readonly allowReserved?: boolean
}

export type RequestBody = {
  readonly required: boolean
  readonly description?: string
  /**
   * The caller chooses by the field `contentType`. The first is the default: JSON, then multipart,
   * then urlencoded, then any other, and ranges such as `image/*` last.
   */
  readonly contents: readonly BodyContent[]
}

export type BodyContent = Content & {
  /**
   * How it is part of the flat input: each property as a field (`fields`), or as the field `body`
   * if it is not a plain object.
   */
  readonly flatten: 'fields' | 'body'
  /**
   * The fields that it adds to the flat input when it is flattened: its properties in all forms,
   * read-only ones left out.
   */
  readonly fields: readonly string[]
  /** Those of `fields` whose names are taken. They are in the field `requestBody`. */
  readonly nested: readonly string[]
}

export type Content = {
  readonly mediaType: string
  /** What the whole is, or with `stream` each of its items, as a program reads it. */
  readonly schema: Schema
  readonly stream?: Stream
  readonly encoding: Readonly<Record<string, Encoding>>
  readonly examples: readonly Example[]
}

/**
 * How items follow each other: as JSON in lines, as a JSON text sequence, as events, or as parts
 * of a multipart body. The data of an event is JSON or text; that of the events named in `except`
 * is the other of the two. `prefix` has the media types of the first parts, `rest` that of the
 * others; empty where the value decides.
 */
export type Stream =
  | { readonly kind: 'lines' | 'records' }
  | { readonly kind: 'parts'; readonly prefix: readonly string[]; readonly rest?: string }
  | { readonly kind: 'events'; readonly data: 'json' | 'text'; readonly except: readonly string[] }

export type Example = { readonly name: string; readonly value: Json; readonly origin: Origin }

export type ResponseHeader = {
  readonly name: string
  readonly required: boolean
  /** Given when the header has `content` instead of `schema`: its media type. */
  readonly mediaType?: string
  readonly schema: Schema
  readonly description?: string
}

export type Response = {
  /** A status, a range such as 4XX, or `default`. */
  readonly status: number | '1XX' | '2XX' | '3XX' | '4XX' | '5XX' | 'default'
  readonly description: string
  readonly headers: readonly ResponseHeader[]
  readonly contents: readonly Content[]
}
