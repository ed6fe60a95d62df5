import type { Operation } from '@farebox/types/operations'
import type { Schema } from './schema.js'

export type CredentialKind = 'key' | 'wallet' | 'none'

/** What a caller fills in. */
export type Values = {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export type ParameterData = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

/** What the console of one operation knows of the contract. Plain JSON. */
export type OperationData = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The first one is chosen when the session has none of them. */
  readonly credentials: readonly CredentialKind[]
  /** It is paid for by a payment of its own, as a top-up is. */
  readonly pays: boolean
  readonly parameters: readonly ParameterData[]
  readonly body?: { readonly mediaType: string; readonly schema: Schema }
  readonly example: Values
}

type Json = Readonly<Record<string, unknown>>

/** Reads what the console needs of an operation from the bundled document. */
export function operationData(
  document: Json,
  { id, method, path, security, billing }: Operation,
): OperationData {
  const read = reader(document)
  const item = read((document['paths'] as Readonly<Record<string, Json>>)[path])
  const operation = read(item[method.toLowerCase()])
  const parameters = [item['parameters'], operation['parameters']]
    .flatMap((list) => (list ?? []) as readonly unknown[])
    .map((parameter) => read(parameter))
    .filter(({ in: place }) => place === 'path' || place === 'query')
    .map((parameter) => ({
      name: parameter['name'] as string,
      in: parameter['in'] as 'path' | 'query',
      required: parameter['required'] === true,
      schema: inlined(read, parameter['schema']),
    }))
  const [mediaType, media] =
    Object.entries(
      (read(operation['requestBody'])['content'] ?? {}) as Readonly<Record<string, Json>>,
    )[0] ?? []
  const schema = media && inlined(read, media['schema'])
  const [example] = Object.values((media?.['examples'] ?? {}) as Readonly<Record<string, unknown>>)
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
        parameters.filter(({ name }) => name in local).map(({ name }) => [name, local[name]]),
      ),
      query: {},
      ...(schema && {
        body:
          localBody(schema) ??
          (mediaType === 'application/json' ? read(example)['value'] : fieldExamples(schema)),
      }),
    },
  }
}

/** The local service speaks at no cost, and makes a test clip for half a cent. */
const local: Readonly<Record<string, unknown>> = {
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

/** Optional fields that keep the price down. */
const cheap: ReadonlySet<string> = new Set(['resolution', 'consumptionLimit'])

/** A body that the local service can answer at little cost, if its required fields are known. */
function localBody(schema: Schema): unknown {
  const { properties = {}, required = [] } = schema
  if (required.length === 0 || !required.every((name) => name in local)) return undefined
  const fits = (name: string) => required.includes(name) || cheap.has(name)
  return Object.fromEntries(
    Object.keys(properties)
      .filter(fits)
      .map((name) => [name, findExample(properties[name]) ?? local[name]]),
  )
}

/** The required fields of a form that have an example. */
function fieldExamples({ properties = {}, required = [] }: Schema): unknown {
  return Object.fromEntries(
    required.flatMap((name) => {
      const example = findExample(properties[name])
      return example === undefined ? [] : [[name, example]]
    }),
  )
}

/** The contract names test models where the local service has one. */
function findExample(schema: Schema | undefined): unknown {
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

/** Follows references within the document. What stands beside a `$ref` counts. */
function reader(document: Json): (node: unknown) => Json {
  const read = (node: unknown): Json => {
    const { $ref, ...beside } = (node ?? {}) as Json
    if (typeof $ref !== 'string') return beside
    const names = $ref.slice(2).split('/')
    const target = names.reduce<unknown>(
      (found, name) =>
        (found as Json | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
    return { ...read(target), ...beside }
  }
  return read
}

const kept = [
  'type', 'format', 'enum', 'const', 'default',
  'examples', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength',
  'minItems', 'maxItems', 'pattern', 'required',
] // prettier-ignore

/** A schema within itself becomes one that allows anything, which a form shows as JSON. */
function inlined(
  read: (node: unknown) => Json,
  node: unknown,
  within: readonly string[] = [],
): Schema {
  const ref = (node as Json | undefined)?.['$ref']
  if (typeof ref === 'string' && within.includes(ref)) return {}
  const deeper = typeof ref === 'string' ? [...within, ref] : within
  const schema = read(node)
  const many = (list: unknown) =>
    (list as readonly unknown[]).map((one) => inlined(read, one, deeper))
  const { properties, items, anyOf, oneOf, description } = schema
  return {
    ...Object.fromEntries(
      kept.filter((name) => name in schema).map((name) => [name, schema[name]]),
    ),
    ...(typeof description === 'string' && { description: firstSentence(description) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Json).map(([name, value]) => [
          name,
          inlined(read, value, deeper),
        ]),
      ),
    }),
    ...(items !== undefined && { items: inlined(read, items, deeper) }),
    ...(anyOf !== undefined && { anyOf: many(anyOf) }),
    ...(oneOf !== undefined && { oneOf: many(oneOf) }),
  }
}

/** The fields of the page have the whole text. */
function firstSentence(text: string): string {
  const [sentence = ''] = text
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=\.) /)
  return sentence
}
