import type { Styles } from './docx-styles.js'
import type { FlowWriter } from './flow-writer.js'
import { toSuperscript } from './superscript.js'
import { isSymbolFont, mapSymbol } from './symbols.js'
import type { WarningCounter } from './warnings.js'

/** Writes the text of runs as their properties show it. */
export type RunText = ReturnType<typeof createRunText>

export function createRunText(
  writer: FlowWriter,
  warnings: WarningCounter,
  styles: Styles | undefined,
) {
  let font: string | undefined
  let symbolFont: string | undefined
  let isHidden = false
  let isRaised = false

  const addSymbol = (name: string, code: number): void => {
    const symbol = mapSymbol(name, code)
    if (symbol === undefined && code >= 0xe000 && code <= 0xf8ff) warnings.add('unknown_symbols')
    writer.add(symbol ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''))
  }

  return {
    open(): () => void {
      const outer = { font, symbolFont, isHidden, isRaised }
      font = undefined
      symbolFont = undefined
      isHidden = false
      isRaised = false
      return () => ({ font, symbolFont, isHidden, isRaised } = outer)
    },
    properties({ baseline }: Readonly<Record<string, string>>): void {
      if (baseline !== undefined && parseInt(baseline, 10) > 0) isRaised = true
    },
    font(name: string | undefined): void {
      font = name ?? font
    },
    /** The font that DrawingML has for symbols only. */
    symbolFont(name: string | undefined): void {
      symbolFont = name
    },
    style(name: string | undefined): void {
      const given = styles?.run(name ?? '')
      font ??= given?.font
      isHidden ||= given?.isHidden === true
    },
    hide(hidden: boolean): void {
      isHidden = hidden
    },
    raise(raised: boolean): void {
      isRaised = raised
    },
    symbol(name: string, code: number): void {
      if (isHidden) warnings.add('hidden_text')
      else addSymbol(name, code)
    },
    add(text: string): void {
      if (isHidden) {
        if (text.trim() !== '') warnings.add('hidden_text')
      } else if (
        isRaised &&
        /^[\d+\-−=()n]+$/.test(text) &&
        /[\p{L}\p{N})\]]$/u.test(writer.paragraph())
      )
        writer.add(toSuperscript(text))
      else if (
        symbolFont !== undefined ||
        (font !== undefined && isSymbolFont(font)) ||
        /[\uf000-\uf0ff]/.test(text)
      )
        addSymbols(text)
      else writer.add(text)
    },
  }

  /** A symbol font shows its symbols for the characters of one byte, too. */
  function addSymbols(text: string): void {
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0
      const isPrivate = code >= 0xf000 && code <= 0xf0ff
      const name = isPrivate ? (symbolFont ?? font) : font
      if (name !== undefined && (isPrivate || (code <= 0xff && isSymbolFont(name))))
        addSymbol(name, code)
      else if (isPrivate) addSymbol('', code)
      else writer.add(character)
    }
  }
}
