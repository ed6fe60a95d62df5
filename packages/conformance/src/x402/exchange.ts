import { findUsdcContract } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { sleep } from '@farebox/retry'
import { must, SkipError } from '../check.js'

type Fields = Readonly<Record<string, unknown>>

/** A paid endpoint, and what its 402 said. */
export type PaidEndpoint = {
  readonly url: string
  /** Without a payment. */
  readonly discovery: Exchange
  /** The offers of the header, or without a header those of the body. */
  readonly offers: readonly Fields[]
  /** Sends the request with these headers. */
  readonly send: (headers?: Readonly<Record<string, string>>) => Promise<Exchange>
  /** Signs a payment of the first offer that can be signed here, with changes. Throws `SkipError`. */
  readonly sign: (changes?: PaymentChanges) => Promise<string>
}

export type Exchange = {
  readonly status: number
  readonly headers: Headers
  readonly json: unknown
}

export type PaymentChanges = {
  readonly authorization?: Fields
  readonly accepted?: Fields
  readonly document?: Fields
  readonly domain?: Fields
  /** Signs with another wallet than the one that pays. */
  readonly isForged?: boolean
}

export type EndpointOptions = {
  readonly url: string
  /** Default: GET, or POST if GET is not the paid method. */
  readonly method?: string | undefined
  /** The body of the request, which is JSON. */
  readonly body?: string | undefined
  readonly fetch?: typeof globalThis.fetch
  readonly signal?: AbortSignal
  /** Waits for a limit to pass. Default: a timer. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** How long to wait for a response, and for a limit of the service, in milliseconds. */
const longestMs = 60_000
const longestWaitMs = 180_000

export async function openEndpoint(options: EndpointOptions): Promise<PaidEndpoint> {
  const { url, method, body, fetch = globalThis.fetch, signal, wait = sleep } = options
  const sendAs = async (name: string, headers: Readonly<Record<string, string>>) => {
    for (;;) {
      const response = await fetch(url, {
        method: name,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        redirect: 'manual',
        signal: signal
          ? AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
          : AbortSignal.timeout(longestMs),
        ...(body !== undefined && { body }),
      })
      const text = await response.text()
      const pause = Number(response.headers.get('retry-after') ?? 30) * 1000
      if (response.status === 429 && !(pause <= longestWaitMs))
        throw new SkipError(`the service limits requests for ${pause / 1000} s`)
      if (response.status !== 429)
        return { status: response.status, headers: response.headers, json: parse(text) }
      await wait(pause, signal)
    }
  }
  let name = method ?? 'GET'
  let discovery = await sendAs(name, {})
  if (method === undefined && discovery.status !== 402) {
    const posted = await sendAs('POST', {})
    if (posted.status === 402) [name, discovery] = ['POST', posted]
  }
  const offers = readOffers(discovery)
  return {
    url,
    discovery,
    offers,
    send: (headers = {}) => sendAs(name, headers),
    sign: (changes = {}) => signPayment(offers, readHeader(discovery.headers), changes),
  }
}

/** The object in a header of base64 JSON. */
export function readHeader(headers: Headers, name = 'payment-required'): Fields | undefined {
  return decodeObject(headers.get(name))
}

export function decodeObject(value: string | null): Fields | undefined {
  if (value === null || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined
  const parsed = parse(Buffer.from(value, 'base64').toString())
  return typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : undefined
}

function readOffers({ headers, json }: Exchange): readonly Fields[] {
  const { accepts } = (readHeader(headers) ?? Object(json)) as Fields
  return Array.isArray(accepts)
    ? accepts.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
    : []
}

/** The wallet that pays. It is new, so it has no funds. */
export const payerWallet = privateKeySigner(generatePrivateKey())
/** Signs in place of the wallet that pays. */
export const otherWallet = privateKeySigner(generatePrivateKey())

async function signPayment(
  offers: readonly Fields[],
  required: Fields | undefined,
  { authorization: changes, accepted, document, domain, isForged = false }: PaymentChanges,
): Promise<string> {
  const offer = offers.find(
    ({ scheme, network, extra }) =>
      scheme === 'exact' &&
      findUsdcContract(String(network)) !== undefined &&
      ((Object(extra) as Fields)['assetTransferMethod'] ?? 'eip3009') === 'eip3009',
  )
  const contract = findUsdcContract(String(offer?.['network']))
  if (!offer || !contract)
    throw new SkipError(
      'there is no offer of USDC by EIP-3009, which is what this command can sign',
    )
  const authorization = {
    from: payerWallet.address,
    to: String(offer['payTo']),
    value: String(offer['amount'] ?? offer['maxAmountRequired']),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + Number(offer['maxTimeoutSeconds'] ?? 60)),
    nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`,
    ...changes,
  }
  const signature = await (isForged ? otherWallet : payerWallet).signTypedData({
    domain: {
      name: contract.name,
      version: contract.version,
      chainId: contract.chainId,
      verifyingContract: contract.asset,
      ...domain,
    },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  return encodeObject({
    x402Version: 2,
    resource: required?.['resource'],
    extensions: required?.['extensions'],
    accepted: { ...offer, ...accepted },
    payload: { signature, authorization },
    ...document,
  })
}

/** A rejection has a reason: in the receipt, in the offers, or in the body. */
export function mustReject(
  { status, headers, json }: Exchange,
  more: readonly number[] = [],
): void {
  must([400, 402, 403, ...more].includes(status), ['400 or 402', ...more].join(' or '), status)
  const body = Object(json) as Fields
  const reason =
    decodeObject(headers.get('payment-response'))?.['errorReason'] ??
    readHeader(headers)?.['error'] ??
    body['error'] ??
    body['message']
  must(typeof reason === 'string' && reason !== '', 'a reason', json ?? 'none')
}

export function encodeObject(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
