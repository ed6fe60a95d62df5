import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { isRecord } from '@farebox/middleware'

/**
 * Runs code on the latest state of a chain as if it were being deployed, and resolves to the
 * returned bytes: `eth_call` without `to`. Code and result are 0x and hex digits. Rejects if the
 * node does not respond.
 */
export type EthCall = (chainId: number, code: string) => Promise<string>

const isValidSignature = '1626ba7e'
const wrapperSuffix = '6492'.repeat(16)

/**
 * The contract check for the option `verifyContract` of `verifySiwxHeader` and
 * `verifyPaymentAuthorization`. Asks a smart wallet whether it accepts a signature (ERC-1271). A
 * wallet that is not deployed yet is asked after a call of its factory (ERC-6492). One `eth_call`
 * of code that never reverts, so that every error comes from the node. Check the signature of a
 * plain key first: this function does not recover keys.
 *
 * @param call runs code on a chain, for example `jsonRpcEthCall`
 * @example
 * ```ts
 * const call = jsonRpcEthCall({ urls: { 8453: 'https://mainnet.base.org' } })
 * const verifyContract = contractVerifier(call)
 * await verifySiwxHeader(header, { domain, uri, verifyContract })
 * ```
 * @see https://eips.ethereum.org/EIPS/eip-1271
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
export function contractVerifier(
  call: EthCall,
): (address: string, hash: string, signature: string, chainId: number) => Promise<boolean> {
  return async (address, hash, signature, chainId) => {
    const bytes = hexToBytes(signature.slice(2))
    const isWrapped = bytesToHex(bytes.slice(-32)) === wrapperSuffix
    const counterfactual = isWrapped ? readWrapped(bytes.slice(0, -32)) : undefined
    if (isWrapped && !counterfactual) return false
    const callData = isValidSignatureCall(
      hexToBytes(hash.slice(2)),
      counterfactual?.signature ?? bytes,
    )
    const result = await call(
      chainId,
      `0x${bytesToHex(checkCode(hexToBytes(address.slice(2)), callData, counterfactual))}`,
    )
    if (!/^0x0{63}[01]$/.test(result))
      throw new Error(`Contract check: chain ${chainId} did not return 1 or 0`)
    return result.endsWith('1')
  }
}

type Counterfactual = {
  readonly factory: Uint8Array
  readonly factoryCall: Uint8Array
  readonly signature: Uint8Array
}

/** The ABI encoding of (address factory, bytes factoryCall, bytes signature). */
function readWrapped(bytes: Uint8Array): Counterfactual | undefined {
  const number = (at: number): number => {
    const word = bytes.slice(at, at + 32)
    const value = word.length === 32 ? BigInt(`0x${bytesToHex(word)}`) : 2n ** 256n
    return value <= bytes.length ? Number(value) : NaN
  }
  const tail = (at: number): Uint8Array | undefined => {
    const start = number(at) + 32
    const end = start + number(start - 32)
    return end <= bytes.length ? bytes.slice(start, end) : undefined
  }
  const [factoryCall, signature] = [tail(32), tail(64)]
  if (!factoryCall || !signature || bytes.slice(0, 12).some((byte) => byte !== 0)) return undefined
  return { factory: bytes.slice(12, 32), factoryCall, signature }
}

/** `isValidSignature(bytes32 hash, bytes signature)` */
function isValidSignatureCall(hash: Uint8Array, signature: Uint8Array): Uint8Array {
  const padding = new Uint8Array((32 - (signature.length % 32)) % 32)
  return concatBytes(
    hexToBytes(isValidSignature),
    hash,
    encodeWord(64),
    encodeWord(signature.length),
    signature,
    padding,
  )
}

/**
 * Code without jumps that returns 1 if the wallet accepts the signature, at once or after a call of
 * the factory, otherwise 0. The wallet must return the full 32-byte word of ERC-1271; an address
 * without code returns nothing and so does not pass.
 */
function checkCode(
  wallet: Uint8Array,
  callData: Uint8Array,
  counterfactual: Counterfactual | undefined,
): Uint8Array {
  const factoryCall = counterfactual?.factoryCall ?? new Uint8Array()
  const assemble = (data: number): Uint8Array => {
    const check = [...copy(data, callData.length), ...callWallet(wallet, callData.length)]
    const program = counterfactual
      ? [
          ...check,
          ...copy(data + callData.length, factoryCall.length),
          ...callFactory(counterfactual),
          ...check,
          op.or,
        ]
      : check
    return Uint8Array.from([
      ...program,
      ...push(0, 1),
      op.mstore,
      ...push(32, 1),
      ...push(0, 1),
      op.return,
    ])
  }
  // every number has a fixed width, so the length does not depend on the offset of the data
  return concatBytes(assemble(assemble(0).length), callData, factoryCall)
}

const op = {
  gt: 0x11,
  eq: 0x14,
  and: 0x16,
  or: 0x17,
  codecopy: 0x39,
  returndatasize: 0x3d,
  pop: 0x50,
  mload: 0x51,
  mstore: 0x52,
  gas: 0x5a,
  call: 0xf1,
  return: 0xf3,
  staticcall: 0xfa,
} as const

/** Memory from 0 := the code's own bytes. */
function copy(from: number, length: number): number[] {
  return [...push(length, 3), ...push(from, 3), ...push(0, 1), op.codecopy]
}

/**
 * Top of the stack := whether the wallet returns the word of ERC-1271 for the call data in memory.
 * The result is stored after the call data.
 */
function callWallet(wallet: Uint8Array, length: number): number[] {
  const result = push(length, 3)
  const staticCall = [
    ...push(32, 1),
    ...result,
    ...push(length, 3),
    ...push(0, 1),
    ...pushBytes(wallet),
    op.gas,
    op.staticcall,
  ]
  const isWhole = [...push(31, 1), op.returndatasize, op.gt, op.and]
  const isMagic = [
    ...pushBytes(concatBytes(hexToBytes(isValidSignature), new Uint8Array(28))),
    ...result,
    op.mload,
    op.eq,
    op.and,
  ]
  return [...staticCall, ...isWhole, ...isMagic]
}

/** Its success does not matter: the wallet is called afterwards. */
function callFactory({ factory, factoryCall }: Counterfactual): number[] {
  const none = push(0, 1)
  return [
    ...none,
    ...none,
    ...push(factoryCall.length, 3),
    ...none,
    ...none,
    ...pushBytes(factory),
    op.gas,
    op.call,
    op.pop,
  ]
}

function push(value: number, width: 1 | 3): number[] {
  return pushBytes(encodeWord(value).slice(-width))
}

function pushBytes(bytes: Uint8Array): number[] {
  return [0x5f + bytes.length, ...bytes]
}

function encodeWord(value: number): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'))
}

export type JsonRpcOptions = {
  /** The URL of a node for each chain id. It may contain a key; no error reveals it. */
  readonly urls: Readonly<Record<number, string>>
  readonly fetch?: typeof globalThis.fetch
  /** How long a node may take, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number
}

/**
 * An `EthCall` over JSON-RPC, for `contractVerifier`. Rejects for a chain without a node, after the
 * timeout, and for any response other than a result in hex. The error contains only the code of the
 * node's error.
 *
 * @example
 * ```ts
 * const call = jsonRpcEthCall({ urls: { 8453: 'https://mainnet.base.org' }, timeoutMs: 2_000 })
 * ```
 */
export function jsonRpcEthCall({
  urls,
  fetch = globalThis.fetch,
  timeoutMs = 5_000,
}: JsonRpcOptions): EthCall {
  return async (chainId, code) => {
    const url = Object.hasOwn(urls, chainId) ? urls[chainId] : undefined
    if (url === undefined)
      throw new Error(`Contract check: no node for chain ${chainId}; add its URL to "urls"`)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ data: code }, 'latest'],
    })
    const response = await send(fetch, url, body, timeoutMs).catch((error: unknown) => {
      throw new Error(
        `Contract check: the node of chain ${chainId} did not respond (${readErrorName(error)})`,
      )
    })
    const result = isRecord(response) ? response['result'] : undefined
    if (typeof result === 'string' && /^0x[0-9a-fA-F]*$/.test(result)) return result
    throw new Error(
      `Contract check: the node of chain ${chainId} responded without a result${formatErrorCode(response)}`,
    )
  }
}

async function send(
  fetch: typeof globalThis.fetch,
  url: string,
  body: string,
  timeoutMs: number,
): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return response.json()
}

function readErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

function formatErrorCode(response: unknown): string {
  const error = isRecord(response) ? response['error'] : undefined
  return isRecord(error) && typeof error['code'] === 'number' ? `, error ${error['code']}` : ''
}
