import { formatListNumber } from './list-number.js'

type AutoNumber = { readonly type: string; readonly start: number }

/** The numbers of the paragraphs of a shape (ECMA-376 part 1, 20.1.10.61). */
export function createSlideLists() {
  /** By level. */
  let last: (AutoNumber & { value: number })[] = []
  return {
    restart(): void {
      last = []
    },
    /** The label of the next paragraph that has text. Empty for one without a number. */
    label(level: number, item: AutoNumber | undefined): string {
      if (!(level >= 0 && level <= 8)) return ''
      const before = last[level]
      last.length = Math.min(last.length, level)
      if (item === undefined) return ''
      const goesOn =
        before !== undefined && before.type === item.type && before.start === item.start
      const value = goesOn ? before.value + 1 : item.start
      for (let i = last.length; i < level; i += 1) last[i] = { type: '', start: 1, value: 0 }
      last[level] = { ...item, value }
      return write(value, item.type)
    },
  }
}

const systems: readonly (readonly [start: string, system: string])[] = [
  ['alphaLc', 'lowerLetter'],
  ['alphaUc', 'upperLetter'],
  ['romanLc', 'lowerRoman'],
  ['romanUc', 'upperRoman'],
  ['circleNum', 'decimalEnclosedCircle'],
  ['arabicDb', 'decimalFullWidth'],
  ['ea1Chs', 'chineseCounting'],
  ['ea1Cht', 'chineseCounting'],
  ['ea1Jpn', 'japaneseCounting'],
  ['thaiAlpha', 'thaiLetters'],
  ['thaiNum', 'thaiNumbers'],
  ['hindiNum', 'hindiNumbers'],
  ['hebrew2', 'hebrew2'],
  ['arabic1', 'arabicAlpha'],
  ['arabic2', 'arabicAbjad'],
]

function write(value: number, type: string): string {
  const system = systems.find(([start]) => type.startsWith(start))?.[1] ?? 'decimal'
  const number = formatListNumber(value, system)
  if (type.endsWith('ParenBoth')) return `(${number})`
  if (type.endsWith('ParenR')) return `${number})`
  if (type.endsWith('Period')) return `${number}.`
  if (type.endsWith('Minus')) return `${number}-`
  return number
}
