import { buildRequest } from '../call/request.js'
import { written } from '../contract/written.js'
import { toBaseUrl, readBody, type Printer, type Planned } from './planned.js'
import { literal, text } from './sdk.js'

/**
 * A module that makes the call with the official `openai` package: its methods for any path, which
 * take what the package has no method for.
 */
export const openai: Printer = (planned) => {
  const { operation, values, access, origin } = planned
  const { url, method } = buildRequest(operation, values, origin)
  const path = url.slice(toBaseUrl(planned).length)
  const options = formatOptions(planned)
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
    ...(wallet ? walletLines(planned) : []),
    ...formLines(planned),
    `const openai = new OpenAI({ ${clientOptions(planned)} })`,
    `const response = await openai.${method.toLowerCase()}(${text(path)}${argument}).asResponse()`,
    `console.log(response.status, response.headers.get('content-type'))`,
  ].join('\n')
}

function clientOptions(planned: Planned): string {
  const base = `baseURL: ${text(toBaseUrl(planned))}`
  if (planned.access === 'wallet')
    return `${base}, apiKey: 'unused', fetch: withMiddleware(fetch, payment, signIn(signer, { origin }))`
  return planned.access === 'key'
    ? `${base}, apiKey: process.env.FAREBOX_API_KEY`
    : `${base}, apiKey: 'unused'`
}

function walletLines({ origin }: Planned): readonly string[] {
  return [
    `const origin = ${text(origin)}`,
    `const signer = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')`,
    'const payment = pay(signer, { origin, amountUsd: 5, maxUsdPerPayment: 5, maxUsdPerDay: 5 })',
  ]
}

function formLines(planned: Planned): readonly string[] {
  if (planned.operation.body?.mediaType !== 'multipart/form-data') return []
  const fields = Object.entries(readBody(planned)).map(([name, value]) =>
    value instanceof File
      ? `form.set(${text(name)}, await openAsBlob(${text(value.name)}), ${text(value.name)})`
      : `form.set(${text(name)}, ${text(written(value))})`,
  )
  return ['const form = new FormData()', ...fields]
}

function formatOptions(planned: Planned): string {
  if (planned.operation.body === undefined) return ''
  return planned.operation.body.mediaType === 'multipart/form-data'
    ? 'body: form'
    : `body: ${literal(readBody(planned))}`
}
