import type {
  CredentialKind,
  OperationData,
  SchemeData,
  Values,
} from '../contract/operation-data.js'
import { formatValue, joinValue, listPairs } from './serialize.js'

export type PlannedRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: BodyInit
  readonly credentials?: 'include'
}

/** Builds the request of an operation from the values of its form. `base` has no slash at its end. */
export function buildRequest(
  { method, path, parameters, body: content }: OperationData,
  values: Values,
  base: string,
): PlannedRequest {
  const filledPath = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) =>
    joinValue(values.path[name], encodeURIComponent),
  )
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query')
  const known = ofQuery.flatMap((parameter) => listPairs(parameter, values.query[parameter.name]))
  const query = new URLSearchParams(known.map(([name, value]) => [name, value]))
  const url = `${base}${filledPath}${query.size > 0 ? `${path.includes('?') ? '&' : '?'}${query}` : ''}`
  const headers = Object.fromEntries(
    Object.entries(values.header ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, joinValue(value, String)]),
  )
  if (content === undefined) return { url, method, headers }
  const { type, body } = encodeBody(content.mediaType, values.body)
  return {
    url,
    method,
    headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  }
}

type EncodedBody = { readonly type?: string; readonly body?: BodyInit }

export function encodeBody(mediaType: string, value: unknown): EncodedBody {
  if (mediaType.startsWith('multipart/')) {
    const form = new FormData()
    for (const [name, member] of Object.entries(value ?? {})) {
      if (member instanceof Blob) form.set(name, member)
      else if (member !== undefined) form.set(name, formatValue(member))
    }
    // no content type: fetch sets it, with the boundary
    return { body: form }
  }
  if (mediaType === 'application/x-www-form-urlencoded') {
    const pairs = Object.entries(value ?? {}).flatMap(([name, member]) =>
      listPairs({ name, style: isNested(member) ? 'deepObject' : 'form' }, member),
    )
    const form = new URLSearchParams(pairs.map(([name, member]) => [name, member]))
    return { type: mediaType, body: String(form) }
  }
  if (value instanceof Blob) return { type: mediaType, body: value }
  if (isJson(mediaType)) return { type: mediaType, body: JSON.stringify(value ?? {}) }
  return value === undefined ? {} : { type: mediaType, body: formatValue(value) }
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isJson(mediaType: string): boolean {
  return /[/+]json\b/i.test(mediaType)
}

/** A request as the form has it now, without its credential. */
export type Draft = {
  readonly operation: OperationData
  readonly values: Values
  readonly access: CredentialKind
  readonly origin: string
  readonly base: string
  /** The schemes that carry the credential, for the documents of others. */
  readonly schemes: readonly SchemeData[]
}

/** Prints code that sends a request. It reads credentials from environment variables. */
export type Printer = { readonly name: string; readonly print: (draft: Draft) => string }

/** The languages of "Copy as" for our own service. */
export const printers: readonly Printer[] = [
  { name: 'curl', print: printCurl },
  { name: 'SDK', print: printSdk },
  { name: 'openai', print: printOpenai },
]

/** The fields that are filled in. */
export function listFilled(values: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined))
}

const credentials = {
  key: '"Authorization: Bearer $FAREBOX_API_KEY"',
  wallet: '"SIGN-IN-WITH-X: $SIGN_IN_WITH_X"',
  none: undefined,
} as const

/** A curl command. `farebox siwx` and `createSiwxHeader` print the header of a wallet. */
function printCurl(draft: Draft): string {
  const { operation, values, base, access } = draft
  const { url, method } = buildRequest(operation, values, base)
  const credential = operation.pays ? undefined : credentials[access]
  const parts = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quote(url)}`,
    ...(credential === undefined ? [] : [`-H ${credential}`]),
    ...(operation.body === undefined
      ? []
      : operation.body.mediaType === 'multipart/form-data'
        ? Object.entries(listFilled(draft.values.body)).map(
            ([name, value]) =>
              `-F ${quote(`${name}=${value instanceof File ? `@${value.name}` : formatValue(value)}`)}`,
          )
        : [
            `-H 'Content-Type: application/json'`,
            `-d ${quote(JSON.stringify(listFilled(draft.values.body)))}`,
          ]),
  ]
  return parts.join(' \\\n  ')
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A module that calls the operation with the SDK. */
function printSdk(draft: Draft): string {
  const { operation, values, access } = draft
  const wallet = access === 'wallet'
  const credential = {
    wallet: `wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')`,
    key: 'apiKey: process.env.FAREBOX_API_KEY',
    none: '',
  }[access]
  const input = {
    ...listFilled(values.path),
    ...listFilled(values.query),
    ...listFilled(draft.values.body),
  }
  const argument = Object.keys(input).length === 0 ? '' : printValue(input)
  const call = operation.pays ? 'topUp(5)' : `${operation.id}(${argument})`
  return [
    ...(wallet ? [`import { privateKeySigner } from '@farebox/auth/keys'`] : []),
    `import { createFarebox } from 'farebox'`,
    '',
    `const farebox = createFarebox({ baseUrl: ${printString(draft.base)}${credential === '' ? '' : `, ${credential}`} })`,
    `const result = await farebox.${call}`,
    'console.log(result)',
  ].join('\n')
}

/** A value as a JavaScript expression. A file becomes the path to read it from. */
export function printValue(value: unknown): string {
  if (value instanceof File) return `{ path: ${printString(value.name)} }`
  if (typeof value === 'string') return printString(value)
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : printString(name)}: ${printValue(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

export function printString(value: string): string {
  return `'${JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

/**
 * A module that calls the operation with the official `openai` package, by the methods that take any
 * path, because the package has no methods for most operations.
 */
function printOpenai(draft: Draft): string {
  const { operation, values, access, base } = draft
  const { url, method } = buildRequest(operation, values, base)
  const path = url.slice(draft.base.length)
  const options = printOptions(draft)
  const wallet = access === 'wallet'
  const argument = options === '' ? '' : `, { ${options} }`
  return [
    ...(wallet
      ? [
          `import { pay, signIn } from '@farebox/auth'`,
          `import { privateKeySigner } from '@farebox/auth/keys'`,
          `import { withMiddleware } from '@farebox/middleware'`,
        ]
      : []),
    ...(operation.body?.mediaType === 'multipart/form-data'
      ? [`import { openAsBlob } from 'node:fs'`]
      : []),
    `import OpenAI from 'openai'`,
    '',
    ...(wallet ? printWallet(draft) : []),
    ...printForm(draft),
    `const openai = new OpenAI({ ${printClientOptions(draft)} })`,
    `const response = await openai.${method.toLowerCase()}(${printString(path)}${argument}).asResponse()`,
    `console.log(response.status, response.headers.get('content-type'))`,
  ].join('\n')
}

function printClientOptions(draft: Draft): string {
  const base = `baseURL: ${printString(draft.base)}`
  if (draft.access === 'wallet')
    return `${base}, apiKey: 'unused', fetch: withMiddleware(fetch, payment, signIn(signer, { origin }))`
  return draft.access === 'key'
    ? `${base}, apiKey: process.env.FAREBOX_API_KEY`
    : `${base}, apiKey: 'unused'`
}

function printWallet({ origin }: Draft): readonly string[] {
  return [
    `const origin = ${printString(origin)}`,
    `const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')`,
    'const payment = pay(signer, { origin, amountUsd: 5, maxUsdPerPayment: 5, maxUsdPerDay: 5 })',
  ]
}

function printForm(draft: Draft): readonly string[] {
  if (draft.operation.body?.mediaType !== 'multipart/form-data') return []
  const fields = Object.entries(listFilled(draft.values.body)).map(([name, value]) =>
    value instanceof File
      ? `form.set(${printString(name)}, await openAsBlob(${printString(value.name)}), ${printString(value.name)})`
      : `form.set(${printString(name)}, ${printString(formatValue(value))})`,
  )
  return ['const form = new FormData()', ...fields]
}

function printOptions(draft: Draft): string {
  if (draft.operation.body === undefined) return ''
  return draft.operation.body.mediaType === 'multipart/form-data'
    ? 'body: form'
    : `body: ${printValue(listFilled(draft.values.body))}`
}
