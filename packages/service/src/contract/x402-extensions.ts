import { decodePaymentHeader } from '@farebox/auth/verify'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { isRecord } from '../platform/unknown-value.js'
import { resolve, type Json } from './catalogue-document.js'

/** How to call a resource, by the x402 extension "bazaar". `schema` describes `info`. */
export type Bazaar = {
  readonly info: { readonly input: Json; readonly output: Json }
  readonly schema: Json
}

/** The extension for each operation, from the first example of the contract. */
export function createBazaar(document: Json): (id: OperationId) => Bazaar {
  const known = new Map<OperationId, Bazaar>()
  return (id) => {
    const found = known.get(id) ?? describe(document, operations[id])
    known.set(id, found)
    return found
  }
}

/** The payment of each operation according to the contract (`x-payment-info`). */
export function createPaymentInfo(document: Json): (id: OperationId) => Json {
  return (id) => {
    const { path, method } = operations[id]
    return resolve(
      document,
      readPath(document, 'paths', path, method.toLowerCase(), 'x-payment-info'),
    )
  }
}

function describe(document: Json, { path, method, responses }: Operation): Bazaar {
  const { content } = resolve(
    document,
    readPath(document, 'paths', path, method.toLowerCase(), 'requestBody'),
  )
  const [[mediaType, media] = ['application/json', {}]] = Object.entries(
    isRecord(content) ? content : {},
  )
  const bodyType = mediaType === 'application/json' ? 'json' : 'form-data'
  const [example] = Object.values(
    isRecord(media) && isRecord(media['examples']) ? media['examples'] : {},
  )
  const [given] = responses['200']?.contentTypes ?? []
  const body = resolve(document, example)['value'] ?? {}
  return {
    info: {
      input: { type: 'http', method, bodyType, body },
      output: { type: given === 'application/json' ? 'json' : given },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: [method] },
            bodyType: { type: 'string', enum: [bodyType] },
            body: reduceBodySchema(document, resolve(document, readPath(media, 'schema'))),
          },
          required: ['type', 'method', 'bodyType', 'body'],
          additionalProperties: false,
        },
      },
      required: ['input'],
    },
  }
}

/** The required fields with their types: a proxy may read a head of no more than 4 KiB. */
function reduceBodySchema(document: Json, { properties, required }: Json): Json {
  if (!Array.isArray(required)) return { type: 'object' }
  const fields = required.map((name: string) => [
    name,
    { type: resolve(document, readPath(properties, name))['type'] },
  ])
  return { type: 'object', properties: Object.fromEntries(fields) as Json, required }
}

function readPath(node: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), node)
}

const name = 'payment-identifier'
const pattern = '^[a-zA-Z0-9_-]{16,128}$'

/**
 * What a 402 says about the x402 extension `payment-identifier`: a client may give its payment an
 * id. One id has one payment, so a repeat gets the first response, and another payment a 409.
 */
export const paymentIdentifier = {
  [name]: {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern },
      },
      required: ['required'],
    },
  },
}

/** The id in a payment header, or null; undefined for one that is not valid. */
export function readPaymentIdentifier(header: string): string | null | undefined {
  const { extensions } = Object(decodePaymentHeader(header)) as {
    readonly extensions?: Readonly<Record<string, { readonly info?: { readonly id?: unknown } }>>
  }
  const id = extensions?.[name]?.info?.id
  if (id === undefined) return null
  return typeof id === 'string' && new RegExp(pattern).test(id) ? `${name}:${id}` : undefined
}
