import type { EvmPaymentSigner, PaymentSigner, WalletSigner } from '@farebox/auth'
import { isStream, type Tell } from './exchange.js'

/** The trace cuts longer bodies. */
const longestBody = 20_000

/**
 * Wraps a `fetch` to record each request with its response: text once it is complete, while a stream
 * is still being read. Use it innermost, where it sees what each middleware adds and repeats.
 * `secrets` are texts that the record must not have in headers and addresses.
 */
export function recordExchanges(
  record: Tell,
  send: typeof fetch = (...args) => fetch(...args),
  secrets: readonly string[] = [],
): typeof fetch {
  const hide = (text: string) => secrets.reduce((left, one) => left.replaceAll(one, hidden), text)
  return async (input, init) => {
    const request = {
      headers: redactHeaders(new Headers(init?.headers), hide),
      body: readRequestText(init?.body),
    }
    const url = hide(input instanceof Request ? input.url : String(input))
    const step = { kind: 'exchange', method: init?.method ?? 'GET', url, request } as const
    const start = performance.now()
    const elapsed = () => performance.now() - start
    let response: Response
    try {
      response = await send(input, init)
    } catch (error) {
      record({ ...step, status: undefined, ms: elapsed(), response: { headers: {}, body: '' } })
      throw error
    }
    const ms = elapsed()
    const { status } = response
    const headers = redactHeaders(response.headers, hide)
    const recorded = readResponseText(response).then((body) =>
      record({ ...step, status, ms, response: { headers, body } }),
    )
    if (!isStream(response)) await recorded
    // the reader of the response gets the error of a broken stream
    else recorded.catch(() => undefined)
    return response
  }
}

function readRequestText(body: BodyInit | null | undefined): string {
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return cut(redactBody(body))
  if (body instanceof FormData)
    return [...body]
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : describeFile(value)}`)
      .join('\n')
  return '(bytes)'
}

function describeFile({ name, size }: File): string {
  return `${name}, ${size} bytes`
}

/** Reads text from a clone, so that the response stays unread. Bytes are not cloned. */
async function readResponseText(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  if (response.body === null) return ''
  if (!/json|^text\//.test(type)) return `(${type || 'bytes'})`
  return cut(redactBody(await response.clone().text()))
}

function cut(text: string): string {
  return text.length > longestBody
    ? `${text.slice(0, longestBody)}\n… ${text.length - longestBody} characters more`
    : text
}

const hidden = '…'

/** Headers whose value is JSON in base64. */
const encoded =
  /^(?:sign-in-with-x|x-sign-in-with-x|payment-signature|payment-required|payment-response)$/
const credential = /^(?:authorization|payment-authorization|cookie)$/

/** Members of JSON that hold a secret. */
const secretMember = /^(?:apiKey|signature|transaction|privateKey|download_url)$/

/** Removes credentials, except their scheme, and decodes signed messages without their signature. */
function redactHeaders(
  headers: Headers,
  hide: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, hide(redactHeader(name, value))]),
  )
}

function redactHeader(name: string, value: string): string {
  if (credential.test(name))
    return value.includes(' ') ? `${value.slice(0, value.indexOf(' '))} ${hidden}` : hidden
  // what a challenge requests is JSON in base64url
  if (name === 'www-authenticate')
    return value.replaceAll(/(?<=request=")[\w-]+/g, (request) => describeJson(toBase64(request)))
  return encoded.test(name) ? describeJson(value) : value
}

/** JSON in base64, without its secrets. */
function describeJson(value: string): string {
  try {
    return `(base64 of) ${JSON.stringify(redactMembers(JSON.parse(decodeBase64(value))))}`
  } catch {
    return hidden
  }
}

/** Removes the secret members of JSON. Other text is shown unchanged. */
function redactBody(text: string): string {
  try {
    return JSON.stringify(redactMembers(JSON.parse(text)), null, 2)
  } catch {
    return text
  }
}

function redactMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretMember.test(name) && typeof member === 'string' ? hidden : redactMembers(member),
    ]),
  )
}

function toBase64(base64url: string): string {
  return base64url.replaceAll('-', '+').replaceAll('_', '/')
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
  )
}

/** Records each message that a wallet signs, without the signature. */
export function recordSignIns(signer: WalletSigner, record: Tell): WalletSigner {
  return {
    kind: signer.kind,
    address: signer.address,
    sign: async (message) => {
      const signature = await signer.sign(message)
      record({ kind: 'signature', what: 'The wallet signs the sign-in', signed: message })
      return signature
    },
  }
}

/** Records each EVM payment that a wallet signs. Payments on other rails are not recorded. */
export function recordPayments(payer: PaymentSigner, record: Tell): PaymentSigner {
  if (!canSignTypedData(payer)) return payer
  const recording: EvmPaymentSigner = {
    kind: 'evm',
    address: payer.address,
    signTypedData: async (typedData) => {
      const signature = await payer.signTypedData(typedData)
      const { domain, primaryType, message } = typedData
      record({
        kind: 'signature',
        what: 'The wallet signs the payment',
        signed: JSON.stringify({ primaryType, domain, message }, null, 2),
      })
      return signature
    },
  }
  return recording
}

function canSignTypedData(payer: PaymentSigner): payer is EvmPaymentSigner {
  return 'signTypedData' in payer
}
