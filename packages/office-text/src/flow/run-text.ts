import { codePoint } from 'dingbat-to-unicode'
import { shiftText } from './shift-text.js'
import type { RunLook, Styles } from './docx-styles.js'
import type { WarningCounter } from '../findings.js'
import type { FlowWriter } from './writer.js'

/** Where the text of runs goes. */
type Target = Pick<FlowWriter, 'add' | 'paragraph'>

/** Writes the text of runs as their properties show it. */
export type RunText = ReturnType<typeof createRunText>

export function createRunText(target: Target, warnings: WarningCounter, styles?: Styles) {
  /** What the style of the paragraph, the style of the run, and the run itself state. */
  let outer: RunLook = {}
  let named: RunLook = {}
  let direct: RunLook = {}
  let symbolFont: string | undefined
  const look = (): RunLook => ({
    ...outer,
    ...named,
    // a switch in the styles of both paragraph and run is off (ECMA-376 part 1, 17.7.3)
    isHidden: (outer.isHidden === true) !== (named.isHidden === true),
    ...direct,
  })

  const addSymbol = (name: string, code: number): void => {
    const symbol = mapSymbol(name, code)
    if (symbol === undefined && code >= 0xe000 && code <= 0xf8ff) warnings.add('unknown_symbols')
    target.add(symbol ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''))
  }

  return {
    /** A paragraph has the look of the default style until it names another one. */
    openParagraph(): () => void {
      const before = outer
      outer = styles?.paragraph(undefined) ?? {}
      return () => (outer = before)
    },
    paragraphStyle(name: string | undefined): void {
      outer = styles?.paragraph(name) ?? {}
    },
    open(): () => void {
      const before = { named, direct, symbolFont }
      named = {}
      direct = {}
      symbolFont = undefined
      return () => ({ named, direct, symbolFont } = before)
    },
    properties({ baseline }: Readonly<Record<string, string>>): void {
      if (baseline !== undefined) direct.shift = Math.sign(parseInt(baseline, 10) || 0)
    },
    font(name: string | undefined): void {
      if (name !== undefined) direct.font = name
    },
    /** The font that DrawingML has for symbols only. */
    symbolFont(name: string | undefined): void {
      symbolFont = name
    },
    style(name: string | undefined): void {
      named = styles?.run(name ?? '') ?? {}
    },
    hide(hidden: boolean): void {
      direct.isHidden = hidden
    },
    /** Above the base line (1), below it (-1), or on it (0). */
    shift(shift: number): void {
      direct.shift = shift
    },
    symbol(name: string, code: number): void {
      if (look().isHidden === true) warnings.add('hidden_text')
      else addSymbol(name, code)
    },
    add(text: string): void {
      const { font, isHidden, shift = 0 } = look()
      if (isHidden === true) {
        if (text.trim() !== '') warnings.add('hidden_text')
      } else if (
        symbolFont !== undefined ||
        (font !== undefined && isSymbolFont(font)) ||
        /[\uf000-\uf0ff]/.test(text)
      )
        addSymbols(text, font)
      else target.add(shift === 0 ? text : shiftText(text, shift, target.paragraph()))
    },
  }

  /** A symbol font also shows symbols for single-byte characters. */
  function addSymbols(text: string, font: string | undefined): void {
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0
      const isPrivate = code >= 0xf000 && code <= 0xf0ff
      const name = isPrivate ? (symbolFont ?? font) : font
      if (name !== undefined && (isPrivate || (code <= 0xff && isSymbolFont(name))))
        addSymbol(name, code)
      else if (isPrivate) addSymbol('', code)
      else target.add(character)
    }
  }
}

/** The character of a symbol font. Undefined if Unicode has no equivalent. */
export function mapSymbol(font: string, code: number): string | undefined {
  const byte = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code
  if (byte === 0x20) return ' '
  if (dingbatFonts.test(font)) return mapDingbat(byte)
  const typeface = typefaces.get(font.toLowerCase())
  if (typeface === undefined) return undefined
  const character = codePoint(typeface, byte)?.string
  return character === undefined ? undefined : (plainer.get(character) ?? character)
}

/** Whether all characters of the font are symbols. */
export function isSymbolFont(font: string): boolean {
  return typefaces.has(font.toLowerCase()) || dingbatFonts.test(font)
}

const typefaces: ReadonlyMap<string, string> = new Map(
  ['Symbol', 'Webdings', 'Wingdings', 'Wingdings 2', 'Wingdings 3'].flatMap((name) => [
    [name.toLowerCase(), name],
    [name.toLowerCase().replace(' ', ''), name],
  ]),
)
const dingbatFonts = /^(?:itc ?)?zapf ?dingbats\b/i

/** Boxes and checks of forms, as the characters that forms in Unicode use. */
const plainer: ReadonlyMap<string, string> = new Map([
  ['🗹', '☑'],
  ['🗷', '☒'],
  ['🗵', '☒'],
  ['⮽', '☒'],
  ['🞎', '☐'],
  ['🞏', '☐'],
  ['□', '☐'],
  ['⬜', '☐'],
  ['🗸', '✓'],
  ['🗶', '✗'],
  ['🗴', '✗'],
])

/** The encoding of ZapfDingbats, nearly the block of dingbats in its order (ISO 32000-1, D.6). */
function mapDingbat(byte: number): string | undefined {
  const special = dingbats.get(byte)
  if (special !== undefined) return special
  const run = dingbatRuns.find(([from, to]) => byte >= from && byte <= to)
  return run && String.fromCodePoint(run[2] + byte - run[0])
}

const dingbats: ReadonlyMap<number, string> = new Map([
  [0x25, '☎'],
  [0x2a, '☛'],
  [0x2b, '☞'],
  [0x48, '★'],
  [0x6c, '●'],
  [0x6e, '■'],
  [0x73, '▲'],
  [0x74, '▼'],
  [0x75, '◆'],
  [0x77, '◗'],
  [0xa8, '♣'],
  [0xa9, '♦'],
  [0xaa, '♥'],
  [0xab, '♠'],
  [0xd5, '→'],
  [0xd6, '↔'],
  [0xd7, '↕'],
])

const dingbatRuns: readonly (readonly [from: number, to: number, first: number])[] = [
  [0x21, 0x7e, 0x2701],
  [0x80, 0x8d, 0x2768],
  [0xa1, 0xa7, 0x2761],
  [0xac, 0xb5, 0x2460],
  [0xb6, 0xbf, 0x2776],
  [0xc0, 0xd4, 0x2780],
  [0xd8, 0xef, 0x2798],
  [0xf1, 0xfe, 0x27b1],
]
