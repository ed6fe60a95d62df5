import { textControls } from './detect-kind.js'

const sampleBytes = 64 * 1024

/** The encoding of text in UTF-16 without a mark. Undefined for other bytes. */
export function detectUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, Math.min(bytes.length, sampleBytes) & ~1)
  if (sample.length < 4) return undefined
  // Latin text has a zero in every second byte, and nearly none in the others
  let even = 0
  let odd = 0
  for (let i = 0; i < sample.length; i += 2) {
    if (sample[i] === 0) even += 1
    if (sample[i + 1] === 0) odd += 1
  }
  const half = sample.length / 2
  if (odd > half * 0.4 && even < half * 0.02) return 'utf-16le'
  if (even > half * 0.4 && odd < half * 0.02) return 'utf-16be'
  // text in other scripts has zeros in its spaces and line ends
  if (even + odd === 0 || !hasBytesBeyondText(sample)) return undefined
  return ['utf-16le', 'utf-16be'].find((encoding) => isText(sample, encoding))
}

/** Whether a fifth of the bytes are not those of text in ASCII, which also pair up to Chinese. */
function hasBytesBeyondText(sample: Uint8Array): boolean {
  const others = sample.reduce(
    (count, byte) =>
      count + (byte > 0x7f || (byte > 0 && byte < 32 && !textControls.has(byte)) ? 1 : 0),
    0,
  )
  return others > sample.length * 0.2
}

/** Whether nearly all letters of a text are of one script, and it has nothing but text. */
function isText(sample: Uint8Array, encoding: string): boolean {
  const text = new TextDecoder(encoding).decode(sample)
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const strange = count(/(?!\s)[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu)
  if (strange > text.length * 0.01) return false
  const letters = count(/(?![A-Za-z])\p{L}/gu)
  return scripts.some((script) => count(script) > Math.max(letters * 0.95, text.length * 0.4))
}

const scripts: readonly RegExp[] = [
  /\p{Script=Cyrillic}/gu,
  /\p{Script=Greek}/gu,
  /\p{Script=Hebrew}/gu,
  /\p{Script=Arabic}/gu,
  /\p{Script=Thai}/gu,
  /\p{Script=Devanagari}/gu,
  /[\u3005\u3040-\u30ff\u4e00-\u9fff]/gu,
  /[\uac00-\ud7a3]/gu,
]
