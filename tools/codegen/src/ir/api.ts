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
  /** The document's own `x-` fields. */
  readonly extensions: Readonly<Record<string, Json>>
  /** The line of something in the document. Costs a second parse of the file, once. */
  readonly locate: (origin: Origin) => Origin & { readonly line: number; readonly column: number }
}

export type Server = { readonly url: string; readonly description?: string; readonly variables: Readonly<Record<string, string>> }

export type SecurityScheme = {
  readonly name: string
  readonly kind: 'http' | 'apiKey' | 'oauth2' | 'openIdConnect' | 'mutualTLS'
  readonly scheme?: string
  readonly in?: 'header' | 'query' | 'cookie'
  readonly parameter?: string
}

export type NamedSchema = {
  /** A TypeScript identifier, unique among schemas and operations' own names. */
  readonly name: string
  /** The name in the document. */
  readonly key: string
  readonly schema: Schema
  /** Reached again from itself. */
  readonly cyclic: boolean
  /** The file that holds it, relative to the working directory. */
  readonly origin: Origin
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace'

export type Operation = {
  /** A unique camelCase identifier: the operationId, or made of method and path. */
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated: boolean
  /**
   * Any one of these sets admits the caller; an empty set admits anybody. There is at least one:
   * `[[]]` is an operation without credentials.
   */
  readonly security: readonly (readonly string[])[]
  /** `x-idempotent`, else by the method (RFC 9110, section 9.2.2). */
  readonly idempotent: boolean
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  readonly responses: readonly Response[]
  /** Its `x-` fields. */
  readonly extensions: Readonly<Record<string, Json>>
  readonly origin: Origin
}

export type ParameterStyle = 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'simple' | 'label' | 'matrix'

export type Parameter = {
  /** As it goes over the wire. */
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** The field of the flat input: `name`, unless that is taken or reads badly. */
  readonly field: string
  readonly required: boolean
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly allowReserved: boolean
  /** Given when the parameter has `content` instead of `schema`: its media type. */
  readonly mediaType?: string
  readonly schema: Schema
  readonly notes: Notes
  /** A header that a security scheme sets: the caller may leave it to the middleware. */
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
  /** The client sends the first one: JSON, then multipart, then urlencoded, then any other. */
  readonly contents: readonly Content[]
  /**
   * How the first content joins the flat input: each property as a field (`fields`), or whole as
   * the field `body` if it is not a plain object.
   */
  readonly flatten: 'fields' | 'body'
  /**
   * The fields that the first content adds to the flat input when it is flattened: its properties
   * in all forms, read-only ones left out.
   */
  readonly fields: readonly string[]
}

export type Content = {
  readonly mediaType: string
  readonly schema: Schema
  readonly encoding: Readonly<Record<string, Encoding>>
  readonly examples: readonly Example[]
}

export type Example = { readonly name: string; readonly value: Json; readonly origin: Origin }

export type Response = {
  /** A status, a range such as 4XX, or `default`. */
  readonly status: number | '1XX' | '2XX' | '3XX' | '4XX' | '5XX' | 'default'
  readonly description: string
  readonly headers: readonly { readonly name: string; readonly required: boolean; readonly schema: Schema; readonly description?: string }[]
  readonly contents: readonly Content[]
}
