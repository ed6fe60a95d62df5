/** A whole number as JSON has it, where a number of the program might not hold it. */
export class WholeNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }
}

/** Values that JSON was parsed to, with a `WholeNumber` somewhere. */
export const inexact: WeakSet<object> = new WeakSet()

/**
 * JSON whose integers have any size: `stringify` writes a bigint by its digits, and `parse`
 * makes a `WholeNumber` of one with more than 15 digits. Node 20 has no access to the source of a
 * number, so both let a string stand for it while the platform's own functions run. It begins with
 * random bits, so that no text of a message is taken for one.
 */
export const JSON: Pick<typeof globalThis.JSON, 'parse' | 'stringify'> = {
  parse(text: string): unknown {
    if (!long.test(text)) return globalThis.JSON.parse(text)
    const mark = createMark()
    let isMarked = false
    const marked = text.replace(token, (found) => {
      const [, digits] = /^(-?[1-9]\d{15,})(?:\.0+)?$/.exec(found) ?? []
      if (digits === undefined) return found
      isMarked = true
      return `"${mark}${digits}"`
    })
    if (!isMarked) return globalThis.JSON.parse(text)
    const value: unknown = globalThis.JSON.parse(marked, (_key, item: unknown) =>
      typeof item === 'string' && item.startsWith(mark)
        ? new WholeNumber(item.slice(mark.length))
        : item,
    )
    if (typeof value === 'object' && value !== null) inexact.add(value)
    return value
  },
  stringify(value: unknown): string {
    const mark = createMark()
    let isMarked = false
    // the holder has the bigint also where a program gave all bigints a toJSON
    const text = globalThis.JSON.stringify(
      value,
      function (this: Readonly<Record<string, unknown>>, key, item: unknown) {
        const own = this[key]
        if (typeof own !== 'bigint') return item
        isMarked = true
        return `${mark}${own}`
      },
    )
    return isMarked ? text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1') : text
  },
}

/** The beginning of an integer that may be long; not of a fraction. */
const long = /(?<![\d.])[1-9]\d{15}/

/** A string of JSON, or a number. */
const token = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function createMark(): string {
  return (
    [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-') + ':'
  )
}
