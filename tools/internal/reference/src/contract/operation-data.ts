import type { Operation } from '@farebox/types/operations'
import type { Schema } from './schema.js'

export type CredentialKind = 'key' | 'wallet' | 'none'

/** The input of a call. */
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

/** The parts of the contract that the console of an operation needs, as plain JSON. */
export type OperationData = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The first is the default. */
  readonly credentials: readonly CredentialKind[]
  /** The request itself carries a payment, as a top-up does. */
  readonly pays: boolean
  readonly parameters: readonly ParameterData[]
  readonly body?: { readonly mediaType: string; readonly schema: Schema }
  readonly example: Values
}

type Json = Readonly<Record<string, unknown>>

/** Reads an operation from the bundled document. */
export function operationData(
  document: Json,
  { id, method, path, security, billing }: Operation,
): OperationData {
  const read = createReader(document)
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
      schema: inlineReferences(read, parameter['schema']),
    }))
  const [mediaType, media] =
    Object.entries(
      (read(operation['requestBody'])['content'] ?? {}) as Readonly<Record<string, Json>>,
    )[0] ?? []
  const schema = media && inlineReferences(read, media['schema'])
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
        parameters
          .filter(({ name }) => name in localInputs)
          .map(({ name }) => [name, localInputs[name]]),
      ),
      query: {},
      ...(schema && {
        body:
          createLocalBody(schema) ??
          (mediaType === 'application/json' ? read(example)['value'] : listExamples(schema)),
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
function listExamples({ properties = {}, required = [] }: Schema): unknown {
  return Object.fromEntries(
    required.flatMap((name) => {
      const example = findExample(properties[name])
      return example === undefined ? [] : [[name, example]]
    }),
  )
}

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

/** Follows references within the document. Members beside a `$ref` override those of its target. */
function createReader(document: Json): (node: unknown) => Json {
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

const keptKeywords = [
  'type', 'format', 'enum', 'const', 'default',
  'examples', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength',
  'minItems', 'maxItems', 'pattern', 'required',
] // prettier-ignore

/** Replaces each `$ref` by its target. A recursive schema becomes one that allows anything. */
function inlineReferences(
  read: (node: unknown) => Json,
  node: unknown,
  within: readonly string[] = [],
): Schema {
  const ref = (node as Json | undefined)?.['$ref']
  if (typeof ref === 'string' && within.includes(ref)) return {}
  const deeper = typeof ref === 'string' ? [...within, ref] : within
  const schema = read(node)
  const many = (list: unknown) =>
    (list as readonly unknown[]).map((one) => inlineReferences(read, one, deeper))
  const { properties, items, anyOf, oneOf, description } = schema
  return {
    ...Object.fromEntries(
      keptKeywords.filter((name) => name in schema).map((name) => [name, schema[name]]),
    ),
    ...(typeof description === 'string' && { description: firstSentence(description) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Json).map(([name, value]) => [
          name,
          inlineReferences(read, value, deeper),
        ]),
      ),
    }),
    ...(items !== undefined && { items: inlineReferences(read, items, deeper) }),
    ...(anyOf !== undefined && { anyOf: many(anyOf) }),
    ...(oneOf !== undefined && { oneOf: many(oneOf) }),
  }
}

/** The list of fields on the page has the whole description. */
function firstSentence(text: string): string {
  const [sentence = ''] = text
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=\.) /)
  return sentence
}
