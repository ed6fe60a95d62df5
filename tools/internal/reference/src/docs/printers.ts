import {
  buildRequest,
  encodeBody,
  isJson,
  listFilled,
  printString,
  printValue,
  quote,
} from '../call/request.js'
import type { Draft, Printer } from '../call/request.js'
import { formatValue } from '../call/serialize.js'
import type { SchemeData } from '../contract/operation-data.js'

/** The languages of "Copy as" for any service. Credentials are read from environment variables. */
export const printers: readonly Printer[] = [
  { name: 'curl', print: printCurl },
  { name: 'fetch', print: printFetch },
]

function printCurl(draft: Draft): string {
  const { operation, values, base } = draft
  const { url, method, headers } = buildRequest(operation, values, base)
  const credentials = draft.schemes.map((scheme) => createCurlCredential(scheme))
  const address = credentials.reduce((text, { query = '' }) => withQuery(text, query), quote(url))
  const parts = [
    `curl -sS${method === 'GET' ? '' : ` -X ${/^[A-Z]+$/.test(method) ? method : quote(method)}`} ${address}`,
    ...credentials.flatMap(({ flag }) => flag ?? []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...printCurlBody(draft),
  ]
  return parts.join(' \\\n  ')
}

function printCurlBody({ operation: { body }, values }: Draft): readonly string[] {
  if (body === undefined) return []
  if (body.mediaType.startsWith('multipart/'))
    return Object.entries(listFilled(values.body)).map(
      ([name, value]) =>
        `-F ${quote(`${name}=${value instanceof File ? `@${value.name}` : formatValue(value)}`)}`,
    )
  if (values.body instanceof File) return [`--data-binary ${quote(`@${values.body.name}`)}`]
  return [`-d ${quote(printBody(body.mediaType, values.body))}`]
}

function printBody(mediaType: string, value: unknown): string {
  const { body } = encodeBody(mediaType, value)
  return typeof body === 'string' ? body : ''
}

type CurlCredential = { readonly flag?: string; readonly query?: string }

function createCurlCredential(scheme: SchemeData): CurlCredential {
  const variable = `$${toVariable(scheme)}`
  const { carrier, parameter } = scheme
  if (carrier === 'basic') return { flag: `-u "${variable}"` }
  if (carrier === 'cookie') return { flag: `-b ${quote(`${parameter}=`)}"${variable}"` }
  if (carrier === 'query') return { query: `${encodeURIComponent(parameter)}=${variable}` }
  const value = carrier === 'bearer' ? `Bearer ${variable}` : variable
  return { flag: `-H ${quote(`${parameter}: `)}"${value}"` }
}

function withQuery(quoted: string, query: string): string {
  if (query === '') return quoted
  return `${quoted}"${quoted.includes('?') ? '&' : '?'}${query}"`
}

/** `API_KEY` for the scheme `api-key`. */
function toVariable({ name }: SchemeData): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/[^A-Za-z\d]+/g, '_')
  return words.toUpperCase().replace(/^(?=\d|$)/, '_')
}

function printFetch(draft: Draft): string {
  const { operation, values, base, schemes } = draft
  const { url, method, headers } = buildRequest(operation, values, base)
  const secret = (scheme: SchemeData) => `process.env.${toVariable(scheme)}`
  const lines = [
    ...Object.entries(headers).map(
      ([name, value]) => `${printString(name)}: ${printString(value)}`,
    ),
    ...schemes.flatMap((scheme) => {
      const { carrier, parameter } = scheme
      if (carrier === 'query') return []
      const value = {
        bearer: `\`Bearer \${${secret(scheme)}}\``,
        basic: `\`Basic \${btoa(${secret(scheme)} ?? '')}\``,
        header: `${secret(scheme)} ?? ''`,
        cookie: `\`${parameter.replaceAll(/[`\\$]/g, '')}=\${${secret(scheme)}}\``,
      }[carrier]
      return `${printString(carrier === 'cookie' ? 'cookie' : parameter)}: ${value}`
    }),
  ]
  const body = printFetchBody(draft)
  const queries = schemes.filter(({ carrier }) => carrier === 'query')
  return [
    `const url = new URL(${printString(url)})`,
    ...queries.map(
      (scheme) => `url.searchParams.set(${printString(scheme.parameter)}, ${secret(scheme)} ?? '')`,
    ),
    ...body.before,
    'const response = await fetch(url, {',
    `  method: ${printString(method)},`,
    ...(lines.length === 0 ? [] : [`  headers: { ${lines.join(', ')} },`]),
    ...(body.text === undefined ? [] : [`  body: ${body.text},`]),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function printFetchBody({ operation: { body }, values }: Draft): {
  readonly before: readonly string[]
  readonly text?: string
} {
  if (body === undefined) return { before: [] }
  if (isJson(body.mediaType))
    return { before: [], text: `JSON.stringify(${printValue(values.body ?? {})})` }
  if (!body.mediaType.startsWith('multipart/'))
    return { before: [], text: printString(printBody(body.mediaType, values.body)) }
  const parts = Object.entries(listFilled(values.body)).map(([name, value]) => {
    const content =
      value instanceof File
        ? `await (await import('node:fs')).openAsBlob(${printString(value.name)}), ${printString(value.name)}`
        : printString(formatValue(value))
    return `form.set(${printString(name)}, ${content})`
  })
  return { before: ['const form = new FormData()', ...parts], text: 'form' }
}
