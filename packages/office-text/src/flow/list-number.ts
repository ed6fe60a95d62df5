/**
 * The number of a list item in a numbering system of WordprocessingML (ECMA-376 part 1, 17.18.59),
 * as LibreOffice and Word show it. Decimal for an unknown system. Empty for bullets.
 */
export function formatListNumber(value: number, system: string): string {
  const zeros = /^decimal(0+)$/.exec(system)?.[1]
  if (zeros !== undefined) return String(value).padStart(zeros.length + 1, '0')
  const write = systems[system]
  return write === undefined ? String(value) : write(value)
}

type Writer = (value: number) => string

/** A letter of the alphabet, doubled after its end: z, aa, bb. */
const letters =
  (alphabet: string): Writer =>
  (value) => {
    const signs = Array.from(alphabet)
    if (value < 1 || value > signs.length * 50) return String(value)
    return (signs[(value - 1) % signs.length] ?? '').repeat(Math.ceil(value / signs.length))
  }

/** A sign from a fixed list, and decimal after its end. */
const signs =
  (list: string): Writer =>
  (value) =>
    Array.from(list)[value - 1] ?? String(value)

/** Decimal with the digits of a script. */
const digits =
  (list: string): Writer =>
  (value) =>
    String(value).replaceAll(/\d/g, (digit) => Array.from(list)[Number(digit)] ?? digit)

const romanSteps = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
] as const

function roman(value: number): string {
  if (value < 1 || value > 39_999) return String(value)
  let left = value
  let text = ''
  for (const [step, sign] of romanSteps) {
    text += sign.repeat(Math.floor(left / step))
    left %= step
  }
  return text
}

/** Chinese counting up to 99,999: 二十一, 一百零三. */
function chinese(signsOfDigits: string, units: string, zero: string, plainTen: boolean): Writer {
  const digit = Array.from(signsOfDigits)
  const unit = ['', ...Array.from(units)]
  return (value) => {
    if (value < 1 || value > 99_999) return String(value)
    const places = Array.from(String(value), Number)
    let text = ''
    let gap = false
    places.forEach((place, index) => {
      const power = places.length - 1 - index
      if (place === 0) gap = text !== ''
      else {
        if (gap) text += zero
        gap = false
        const one = place === 1 && (plainTen ? power === 1 && index === 0 : false)
        text += (one ? '' : (digit[place] ?? '')) + (unit[power] ?? '')
      }
    })
    return text
  }
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ordinalEnds: ReadonlyMap<string, string> = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
])

function spellCardinal(value: number): string {
  if (value < 20) return small[value] ?? String(value)
  if (value < 100) {
    const rest = value % 10
    return `${tens[Math.floor(value / 10)] ?? ''}${rest === 0 ? '' : `-${small[rest] ?? ''}`}`
  }
  if (value >= 1_000_000) return String(value)
  const [unit, name] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand']
  const rest = value % unit
  return `${spellCardinal(Math.floor(value / unit))} ${name}${rest === 0 ? '' : ` ${spellCardinal(rest)}`}`
}

function spellOrdinal(value: number): string {
  const words = spellCardinal(value)
  const last = words.split(/[ -]/).at(-1) ?? ''
  const start = words.slice(0, words.length - last.length)
  if (/^\d/.test(last)) return ordinal(value)
  return (
    start +
    (ordinalEnds.get(last) ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`))
  )
}

function ordinal(value: number): string {
  const tail = value % 100
  const end = tail > 10 && tail < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return `${value}${end}`
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Consecutive characters of Unicode, such as circled numbers. */
const run =
  (first: number, count: number): Writer =>
  (value) =>
    value >= 1 && value <= count ? String.fromCodePoint(first + value - 1) : String(value)

const heavenly = '甲乙丙丁戊己庚辛壬癸'
const earthly = '子丑寅卯辰巳午未申酉戌亥'
const chineseNumber = chinese('〇一二三四五六七八九', '十百千万', '零', true)
const legalTraditional = chinese('零壹貳參肆伍陸柒捌玖', '拾佰仟萬', '零', false)
const latin = 'abcdefghijklmnopqrstuvwxyz'
const russian = 'абвгдежзиклмнопрстуфхцчшщэюя'
const aiueo =
  'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン'
const iroha =
  'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス'

const systems: Readonly<Record<string, Writer>> = Object.assign(
  Object.create(null) as Record<string, Writer>,
  {
    none: () => '',
    bullet: () => '',
    decimalZero: (value: number) => String(value).padStart(2, '0'),
    upperRoman: (value: number) => roman(value).toUpperCase(),
    lowerRoman: roman,
    upperLetter: letters(latin.toUpperCase()),
    lowerLetter: letters(latin),
    russianLower: letters(russian),
    russianUpper: letters(russian.toUpperCase()),
    ordinal,
    cardinalText: (value: number) => capitalize(spellCardinal(value)),
    ordinalText: (value: number) => capitalize(spellOrdinal(value)),
    hex: (value: number) => value.toString(16).toUpperCase(),
    chicago: letters('*†‡§'),
    numberInDash: (value: number) => `- ${value} -`,
    decimalFullWidth: digits('０１２３４５６７８９'),
    decimalFullWidth2: digits('０１２３４５６７８９'),
    decimalEnclosedCircle: run(0x2460, 20),
    decimalEnclosedCircleChinese: run(0x2460, 20),
    decimalEnclosedParen: run(0x2474, 20),
    decimalEnclosedFullstop: run(0x2488, 20),
    ideographEnclosedCircle: run(0x3280, 10),
    ideographTraditional: signs(heavenly),
    ideographZodiac: signs(earthly),
    ideographZodiacTraditional: (value: number) =>
      value > 60
        ? String(value)
        : (Array.from(heavenly)[(value - 1) % 10] ?? '') +
          (Array.from(earthly)[(value - 1) % 12] ?? ''),
    ideographDigital: digits('〇一二三四五六七八九'),
    japaneseDigitalTenThousand: digits('〇一二三四五六七八九'),
    taiwaneseDigital: digits('○一二三四五六七八九'),
    koreanDigital: digits('영일이삼사오육칠팔구'),
    koreanDigital2: digits('零一二三四五六七八九'),
    chineseCounting: chineseNumber,
    chineseCountingThousand: chineseNumber,
    taiwaneseCounting: chineseNumber,
    taiwaneseCountingThousand: chineseNumber,
    japaneseCounting: chinese('〇一二三四五六七八九', '十百千万', '', true),
    koreanCounting: chinese('영일이삼사오육칠팔구', '십백천만', '', true),
    chineseLegalSimplified: chinese('零壹贰叁肆伍陆柒捌玖', '拾佰仟萬', '零', false),
    ideographLegalTraditional: legalTraditional,
    japaneseLegal: chinese('零壱弐参四伍六七八九', '拾百阡萬', '', false),
    ganada: letters('가나다라마바사아자차카타파하'),
    chosung: letters('ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ'),
    aiueo: letters(aiueo),
    aiueoFullWidth: letters(aiueo),
    iroha: letters(iroha),
    irohaFullWidth: letters(iroha),
    hebrew2: letters('אבגדהוזחטיכלמנסעפצקרשת'),
    arabicAlpha: letters('أبتثجحخدذرزسشصضطظعغفقكلمنهوي'),
    arabicAbjad: letters('أبجدهوزحطيكلمنسعفصقرشتثخذضظغ'),
    hindiNumbers: digits('०१२३४५६७८९'),
    hindiConsonants: letters('कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह'),
    thaiLetters: letters('กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ'),
    thaiNumbers: digits('๐๑๒๓๔๕๖๗๘๙'),
  },
)

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

const slideSystems: readonly (readonly [start: string, system: string])[] = [
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
  const system = slideSystems.find(([start]) => type.startsWith(start))?.[1] ?? 'decimal'
  const number = formatListNumber(value, system)
  if (type.endsWith('ParenBoth')) return `(${number})`
  if (type.endsWith('ParenR')) return `${number})`
  if (type.endsWith('Period')) return `${number}.`
  if (type.endsWith('Minus')) return `${number}-`
  return number
}
