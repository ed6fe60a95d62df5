import { buildRequest } from '../call/request.js'
import { written } from '../contract/written.js'
import { toBaseUrl, readBody, type Printer, type Sent } from './sent.js'
import { literal, text } from './sdk.js'

/**
 * A module that makes the call with the official `openai` package: its methods for any path, which
 * take what the package has no method for.
 */
export const openai: Printer = (sent) => {
  const { operation, values, access, origin } = sent
  const { url, method } = buildRequest(operation, values, origin)
  const path = url.slice(toBaseUrl(sent).length)
  const options = formatOptions(sent)
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
    ...(wallet ? walletLines(sent) : []),
    ...formLines(sent),
    `const openai = new OpenAI({ ${clientOptions(sent)} })`,
    `const response = await openai.${method.toLowerCase()}(${text(path)}${argument}).asResponse()`,
    `console.log(response.status, response.headers.get('content-type'))`,
  ].join('\n')
}

function clientOptions(sent: Sent): string {
  const base = `baseURL: ${text(toBaseUrl(sent))}`
  if (sent.access === 'wallet')
    return `${base}, apiKey: 'unused', fetch: withMiddleware(fetch, payment, signIn(signer, { origin }))`
  return sent.access === 'key'
    ? `${base}, apiKey: process.env.FAREBOX_API_KEY`
    : `${base}, apiKey: 'unused'`
}

function walletLines({ origin }: Sent): readonly string[] {
  return [
    `const origin = ${text(origin)}`,
    `const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')`,
    'const payment = pay(signer, { origin, amountUsd: 5, maxUsdPerPayment: 5, maxUsdPerDay: 5 })',
  ]
}

function formLines(sent: Sent): readonly string[] {
  if (sent.operation.body?.mediaType !== 'multipart/form-data') return []
  const fields = Object.entries(readBody(sent)).map(([name, value]) =>
    value instanceof File
      ? `form.set(${text(name)}, await openAsBlob(${text(value.name)}), ${text(value.name)})`
      : `form.set(${text(name)}, ${text(written(value))})`,
  )
  return ['const form = new FormData()', ...fields]
}

function formatOptions(sent: Sent): string {
  if (sent.operation.body === undefined) return ''
  return sent.operation.body.mediaType === 'multipart/form-data'
    ? 'body: form'
    : `body: ${literal(readBody(sent))}`
}
