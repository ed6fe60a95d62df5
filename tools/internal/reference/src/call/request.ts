import type { CredentialKind, OperationData, Values } from '../contract/operation-data.js'

export type PlannedRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

/** Builds the request of an operation from the values of its form. */
export function buildRequest(
  { method, path, body: content }: OperationData,
  values: Values,
  origin: string,
): PlannedRequest {
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(formatValue(values.path[name] ?? '')),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values.query))
    if (value !== undefined) query.set(name, formatValue(value))
  const url = `${origin}/api/v1${filledPath}${query.size > 0 ? `?${query}` : ''}`
  if (content === undefined) return { url, method, headers: {} }
  if (content.mediaType !== 'multipart/form-data')
    return {
      url,
      method,
      headers: { 'content-type': content.mediaType },
      body: JSON.stringify(values.body ?? {}),
    }
  const form = new FormData()
  for (const [name, value] of Object.entries(values.body ?? {})) {
    if (value instanceof Blob) form.set(name, value)
    else if (value !== undefined) form.set(name, formatValue(value))
  }
  // no content type: fetch sets it, with the boundary
  return { url, method, headers: {}, body: form }
}

/** Formats a plain value for a path, a query, a form or an input. */
export function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** A request as the form has it now, without its credential. */
export type Draft = {
  readonly operation: OperationData
  readonly values: Values
  readonly access: CredentialKind
  readonly origin: string
}

/** Prints code that sends a request. It reads credentials from environment variables. */
type Printer = (draft: Draft) => string

/** The languages of "Copy as". */
export const printers: readonly { readonly name: string; readonly print: Printer }[] = [
  { name: 'curl', print: printCurl },
  { name: 'SDK', print: printSdk },
  { name: 'openai', print: printOpenai },
]

function toBaseUrl({ origin }: Draft): string {
  return `${origin}/api/v1`
}

/** The fields that are filled in. */
function listFilled(values: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined))
}

const credentials = {
  key: '"Authorization: Bearer $FAREBOX_API_KEY"',
  wallet: '"SIGN-IN-WITH-X: $SIGN_IN_WITH_X"',
  none: undefined,
} as const

/** A curl command. `farebox siwx` and `createSiwxHeader` print the header of a wallet. */
function printCurl(draft: Draft): string {
  const { operation, values, origin, access } = draft
  const { url, method } = buildRequest(operation, values, origin)
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

function quote(text: string): string {
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
    `const farebox = createFarebox({ baseUrl: ${printString(toBaseUrl(draft))}${credential === '' ? '' : `, ${credential}`} })`,
    `const result = await farebox.${call}`,
    'console.log(result)',
  ].join('\n')
}

/** A value as a JavaScript expression. A file becomes the path to read it from. */
function printValue(value: unknown): string {
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

function printString(value: string): string {
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
  const { operation, values, access, origin } = draft
  const { url, method } = buildRequest(operation, values, origin)
  const path = url.slice(toBaseUrl(draft).length)
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
  const base = `baseURL: ${printString(toBaseUrl(draft))}`
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
