import type { Operation } from '@farebox/types/operations'
import { inlineReferences } from './inline.js'
import {
  createReader,
  findOperation,
  listExamples,
  listParameters,
  toObject,
  type Json,
} from './read.js'
import type { Schema } from './schema.js'

export type CredentialKind = 'key' | 'wallet' | 'none'

export type Place = 'path' | 'query' | 'header' | 'cookie'

/** The input of a call. */
export type Values = {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly cookie?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export type ParameterData = {
  readonly name: string
  readonly in: Place
  readonly required: boolean
  readonly schema: Schema
  /** How it is serialized, where that is not the default of its place: a style of OpenAPI, or `json`. */
  readonly style?: string
  readonly explode?: boolean
}

/** A security scheme as a request carries it. */
export type SchemeData = {
  readonly name: string
  readonly carrier: 'bearer' | 'basic' | 'header' | 'query' | 'cookie'
  /** The name of the header, the query parameter or the cookie. */
  readonly parameter: string
  /** How to get the token of a bearer. */
  readonly oauth?: OAuthData
}

/** How the document says that a token is obtained (OAuth 2.0). */
export type OAuthData = {
  /** Where the reader signs in, for the flow `authorizationCode`. */
  readonly authorizationUrl?: string
  readonly tokenUrl: string
  /** Whether the document has the flow `clientCredentials`. */
  readonly isForClients: boolean
  readonly scopes: readonly string[]
}

/** What any document states about the servers and the credentials of an operation. */
export type AccessData = {
  /** The base URLs. The first is the default. */
  readonly servers: readonly string[]
  /** Each alternative is a set of schemes that a request carries together. */
  readonly alternatives: readonly (readonly SchemeData[])[]
}

/** The parts of the contract that the console of an operation needs, as plain JSON. */
export type OperationData = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The first is the default. */
  readonly credentials: readonly CredentialKind[]
  /** Absent for an operation of our own contract, which has its `credentials`. */
  readonly access?: AccessData
  /** The request itself carries a payment, as a top-up does. */
  readonly pays: boolean
  readonly parameters: readonly ParameterData[]
  readonly body?: { readonly mediaType: string; readonly schema: Schema }
  readonly example: Values
}

/** Reads an operation of our contract from the bundled document. */
export function operationData(
  document: Json,
  { id, method, path, security, billing }: Operation,
): OperationData {
  const read = createReader(document)
  const { item, operation } = findOperation(document, read, { path, method })
  const parameters = listParameters(read, item, operation)
    .filter(({ in: place }) => place === 'path' || place === 'query')
    .map((parameter) => ({
      name: parameter['name'] as string,
      in: parameter['in'] as 'path' | 'query',
      required: parameter['required'] === true,
      schema: inlineReferences(read, parameter['schema']),
    }))
  const [mediaType, media] =
    Object.entries(toObject(read(operation['requestBody'])['content']))[0] ?? []
  const schema = media === undefined ? undefined : inlineReferences(read, toObject(media)['schema'])
  const [example] = listExamples(read, toObject(media))
  const pays = billing === 'payment'
  return {
    id,
    method,
    path,
    credentials: listCredentials(security, pays),
    pays,
    parameters,
    ...(mediaType !== undefined && schema !== undefined && { body: { mediaType, schema } }),
    example: {
      path: Object.fromEntries(
        parameters
          .filter(({ name }) => name in localInputs)
          .map(({ name }) => [name, localInputs[name]]),
      ),
      query: {},
      ...(schema && {
        body:
          createLocalBody(schema) ??
          (mediaType === 'application/json' ? example?.value : fillRequired(schema)),
      }),
    },
  }
}

/** Inputs for a local service: its speech is free, and a test clip costs half a cent. */
const localInputs: Readonly<Record<string, unknown>> = {
  id: 'tts-kokoro',
  input: 'Two tickets to the harbour, please.',
  model: 'local-test-clip',
  prompt: 'A quiet harbour at dawn',
  duration: '2s',
  resolution: '256p',
  queue_id: '',
  apiKeyType: 'INFERENCE',
  description: 'From the console',
  consumptionLimit: { usd: 1 },
}

/** Optional fields that keep the price low. */
const cheapFields: ReadonlySet<string> = new Set(['resolution', 'consumptionLimit'])

/** A cheap body for a local service, if `localInputs` has all required fields. */
function createLocalBody(schema: Schema): unknown {
  const { properties = {}, required = [] } = schema
  if (required.length === 0 || !required.every((name) => name in localInputs)) return undefined
  const fits = (name: string) => required.includes(name) || cheapFields.has(name)
  return Object.fromEntries(
    Object.keys(properties)
      .filter(fits)
      .map((name) => [name, findExample(properties[name]) ?? localInputs[name]]),
  )
}

/** The examples of the required fields. */
export function fillRequired({ properties = {}, required = [] }: Schema): unknown {
  return Object.fromEntries(
    required.flatMap((name) => {
      const example = findExample(properties[name])
      return example === undefined ? [] : [[name, example]]
    }),
  )
}

export function findExample(schema: Schema | undefined): unknown {
  return schema?.examples?.[0]
}

function listCredentials(
  security: Operation['security'],
  pays: boolean,
): readonly CredentialKind[] {
  const takes = (scheme: string) => security.some((schemes) => schemes.includes(scheme))
  return [
    ...(takes('siwx') || pays ? (['wallet'] as const) : []),
    ...(takes('BearerAuth') ? (['key'] as const) : []),
    ...(security.some((schemes) => schemes.length === 0) && !pays ? (['none'] as const) : []),
  ].toSorted((one, other) => Number(other === 'none') - Number(one === 'none'))
}
