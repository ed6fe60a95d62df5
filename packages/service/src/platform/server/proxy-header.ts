import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What the first bytes of a connection are. */
export type ProxyHeader =
  | { readonly kind: 'partial' }
  | { readonly kind: 'malformed' }
  /** `client` is undefined where the proxy does not name one, as in its own health checks. */
  | { readonly kind: 'whole'; readonly length: number; readonly client: string | undefined }

const partial: ProxyHeader = { kind: 'partial' }
const malformed: ProxyHeader = { kind: 'malformed' }

const lineStart = Buffer.from('PROXY ')
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

/** With its end, by the protocol. */
const longestLine = 107
/** Of the addresses and what a proxy adds to them. The protocol allows 65,535. */
const longestBlock = 4_096

/** Reads a header of the PROXY protocol, version 1 or 2 (haproxy.org, proxy-protocol.txt). */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  const mayBe = (start: Buffer) => bytes.subarray(0, start.length).equals(start.subarray(0, bytes.length))
  if (mayBe(signature)) return readBlock(bytes)
  return mayBe(lineStart) ? readLine(bytes) : malformed
}

/** Version 1: `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443` and a line end. */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, longestLine).indexOf('\r\n')
  if (end < 0) return bytes.length < longestLine ? partial : malformed
  const length = end + 2
  const [, family, client = '', target = '', ...ports] = bytes.toString('latin1', 0, end).split(' ')
  if (family === 'UNKNOWN') return { kind: 'whole', length, client: undefined }
  const version = family === 'TCP4' ? 4 : 6
  const isNamed = (family === 'TCP4' || family === 'TCP6') && isIP(client) === version && isIP(target) === version
  return isNamed && ports.length === 2 && ports.every(isPort) ? { kind: 'whole', length, client } : malformed
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
}

const headLength = 16

/** Version 2: the signature, a byte each for command and family, the length, and the addresses. */
function readBlock(bytes: Buffer): ProxyHeader {
  if (bytes.length < headLength) return partial
  const command = bytes.readUInt8(signature.length)
  const family = bytes.readUInt8(signature.length + 1)
  const size = bytes.readUInt16BE(signature.length + 2)
  const isLocal = command === 0x20
  if ((command !== 0x21 && !isLocal) || family >> 4 > 3 || (family & 15) > 2 || size > longestBlock) return malformed
  const length = headLength + size
  const addressLength = [0, 4, 16, 0][family >> 4] ?? 0
  // source and target have a port of two bytes each
  if (addressLength > 0 && size < 2 * addressLength + 4) return malformed
  if (bytes.length < length) return partial
  if (isLocal || addressLength === 0) return { kind: 'whole', length, client: undefined }
  const address = [...bytes.subarray(headLength, headLength + addressLength)]
  return { kind: 'whole', length, client: ipaddr.fromByteArray(address).toString() }
}
