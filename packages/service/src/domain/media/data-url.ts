export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url)
}

/**
 * The bytes of a data URL (Fetch Standard, "data: URL processor"). Undefined for other text. Linear
 * in its length.
 */
export function bytesOfDataUrl(url: string): Uint8Array | undefined {
  const comma = url.indexOf(',')
  if (!isDataUrl(url) || comma < 0) return undefined
  const data = url.slice(comma + 1)
  const bytes = data.includes('%') ? unescaped(Buffer.from(data)) : data
  if (/;base64$/i.test(url.slice(0, comma))) return Buffer.from(bytes.toString(), 'base64')
  return Buffer.from(bytes)
}

/** Decodes percent-encoded bytes in place. A `%` without two hex digits is kept. */
function unescaped(text: Buffer): Buffer {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] === 0x25 ? toByte(text[at + 1], text[at + 2]) : undefined
    text[length++] = byte ?? text[at] ?? 0
    if (byte !== undefined) at += 2
  }
  return text.subarray(0, length)
}

function toByte(high: number | undefined, low: number | undefined): number | undefined {
  const [sixteens, ones] = [digits.get(high ?? 0), digits.get(low ?? 0)]
  return sixteens === undefined || ones === undefined ? undefined : 16 * sixteens + ones
}

/** Values of hex digits by character code. */
const digits: ReadonlyMap<number, number> = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), parseInt(digit, 16)]),
)
