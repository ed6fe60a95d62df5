/** RFC 1123, section 2.1, at most 253 characters; `xn--` labels by RFC 5890. */
export function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every(isAsciiLabel)
}

/** The same with labels beyond ASCII, separated by any dot of RFC 3490, section 3.1. */
export function isIdnHostname(text: string): boolean {
  const labels = text.split(/[.\u3002\uFF0E\uFF61]/)
  return (
    labels.every(isLabel) &&
    labels.reduce((length, label) => length + encodedLength(label) + 1, -1) <= 253
  )
}

function isLabel(label: string): boolean {
  return plain.test(label)
    ? isAsciiLabel(label)
    : encodedLength(label) <= 63 && isUnicodeLabel(label.toLowerCase())
}

/**
 * Two hyphens in third place are for `xn--` alone (RFC 5891, section 4.2.3.1), and what follows
 * must be what its label is written as.
 */
function isAsciiLabel(label: string): boolean {
  if (!ascii.test(label)) return false
  if (label[2] !== '-' || label[3] !== '-') return true
  if (!/^xn/i.test(label)) return false
  const decoded = decode(label.slice(4).toLowerCase())
  return (
    decoded !== undefined &&
    !plain.test(decoded) &&
    isUnicodeLabel(decoded) &&
    encode(decoded) === label.slice(4).toLowerCase()
  )
}

const plain = /^[\0-\x7F]*$/
const ascii = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * RFC 5891, section 4.2, with the letters of RFC 5892: lower case, as a name is compared, and
 * nothing that is another's spelling.
 */
function isUnicodeLabel(label: string): boolean {
  return (
    label.normalize('NFC') === label &&
    letters().test(label) &&
    !/^-|-$|^..--/u.test(label) &&
    !contexts().some((wrong) => wrong.test(label))
  )
}

/** A label does not begin with a mark. The exceptions are those of RFC 5892, section 2.6. */
const letters = /* @__PURE__ */ lazy(() => {
  const disallowed = '\\u0640\\u07FA\\u302E\\u302F\\u3031-\\u3035\\u303B'
  const allowed = '\\u06FD\\u06FE\\u0F0B\\u3007\\u00B7\\u0375\\u05F3\\u05F4\\u30FB\\u200C\\u200D'
  return new RegExp(
    `^(?!\\p{M})(?:(?![${disallowed}])[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}\\p{Nd}${allowed}-])+$`,
    'u',
  )
})

/** RFC 5892, appendix A: characters that some neighbours make wrong. */
const contexts = /* @__PURE__ */ lazy(() => {
  const virama = [
    '\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D3B\\u0D3C\\u0D4D\\u0DCA\\u0E3A\\u0EBA\\u0F84\\u1039\\u103A',
    '\\u1714\\u1734\\u17D2\\u1A60\\u1B44\\u1BAA\\u1BAB\\u1BF2\\u1BF3\\u2D7F\\uA806\\uA8C4\\uA953\\uA9C0\\uAAF6\\uABED',
  ].join('')
  const joining = ['Arabic', 'Syriac', 'Mandaic', 'Mongolian', 'Nko', 'Phags_Pa']
    .map((script) => `\\p{Script=${script}}`)
    .join('')
  const japanese = ['Hiragana', 'Katakana', 'Han'].map((script) => `\\p{Script=${script}}`).join('')
  return [
    `(?<![${virama}])\\u200D`,
    `(?<![${virama}]|[${joining}]\\p{Mn}*)\\u200C|(?<![${virama}])\\u200C(?!\\p{Mn}*[${joining}])`,
    '(?<!l)\\u00B7|\\u00B7(?!l)',
    '\\u0375(?!\\p{Script=Greek})',
    '(?<!\\p{Script=Hebrew})[\\u05F3\\u05F4]',
    `^[^${japanese}]*\\u30FB[^${japanese}]*$`,
    '[\\u0660-\\u0669].*[\\u06F0-\\u06F9]|[\\u06F0-\\u06F9].*[\\u0660-\\u0669]',
  ].map((source) => new RegExp(source, 'u'))
})

/** Compiled when first asked, so that an unused format costs nothing. */
function lazy<T>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}

/** How long a label is once it is written in ASCII. */
function encodedLength(label: string): number {
  return plain.test(label) ? label.length : 4 + encode(label.toLowerCase()).length
}

/** Punycode (RFC 3492, section 6.3). */
function encode(label: string): string {
  const points = Array.from(label, (character) => character.codePointAt(0) ?? 0)
  const basic = points.filter((point) => point < 0x80)
  let output = basic.length === 0 ? '' : `${String.fromCodePoint(...basic)}-`
  let [next, delta, bias, done] = [0x80, 0, 72, basic.length]
  while (done < points.length) {
    const least = Math.min(...points.filter((point) => point >= next))
    delta += (least - next) * (done + 1)
    next = least
    for (const point of points) {
      if (point < next) delta++
      if (point !== next) continue
      let rest = delta
      for (let k = 36; ; k += 36) {
        const threshold = Math.min(Math.max(k - bias, 1), 26)
        if (rest < threshold) break
        output += digits[threshold + ((rest - threshold) % (36 - threshold))] ?? ''
        rest = Math.floor((rest - threshold) / (36 - threshold))
      }
      output += digits[rest] ?? ''
      bias = adapt(delta, done + 1, done === basic.length)
      delta = 0
      done++
    }
    delta++
    next++
  }
  return output
}

/** The same backwards (RFC 3492, section 6.2); undefined for what no label is written as. */
function decode(text: string): string | undefined {
  const end = Math.max(text.lastIndexOf('-'), 0)
  const points = Array.from(text.slice(0, end), (character) => character.charCodeAt(0))
  let [next, index, bias] = [0x80, 0, 72]
  for (let at = end > 0 ? end + 1 : 0; at < text.length; index++) {
    const before = index
    for (let [k, weight] = [36, 1]; ; k += 36) {
      const digit = digits.indexOf(text[at++] ?? '.')
      if (digit < 0) return undefined
      index += digit * weight
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (digit < threshold) break
      weight *= 36 - threshold
    }
    const length = points.length + 1
    bias = adapt(index - before, length, before === 0)
    next += Math.floor(index / length)
    if (next > 0x10ffff) return undefined
    index %= length
    points.splice(index, 0, next)
  }
  return String.fromCodePoint(...points)
}

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789'

function adapt(delta: number, length: number, first: boolean): number {
  let rest = first ? Math.floor(delta / 700) : Math.floor(delta / 2)
  rest += Math.floor(rest / length)
  let k = 0
  for (; rest > 455; k += 36) rest = Math.floor(rest / 35)
  return k + Math.floor((36 * rest) / (rest + 38))
}
