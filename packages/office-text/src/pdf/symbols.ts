import type { WarningCounter } from '../findings.js'
import { isSymbolFont, mapSymbol } from '../flow/run-text.js'
import { readOperations } from './operations.js'
import type { ItemReader, Page, TextItem } from './placed-text.js'

/**
 * Shows the text of symbol fonts, such as Wingdings, as the symbols that a person sees. pdf.js maps the codes of a symbol font to Latin letters or to
 * characters of private use where the file does not state their meaning in Unicode.
 */
export function createSymbolReader(warnings: WarningCounter): ItemReader {
  /** The names of fonts by their keys in the document. Undefined for fonts of letters. */
  const names = new Map<string, string | undefined>()

  return async (page, items, styles) => {
    const unnamed = new Set<string>()
    for (const key in styles) {
      if (names.has(key)) continue
      const family = readFamily(styles[key])
      if (family === undefined) unnamed.add(key)
      else names.set(key, findSymbolFont(family))
    }
    if (unnamed.size > 0 && mayHaveSymbols(items, unnamed)) await readNames(page, unnamed)
    return items.map((item) => {
      const name = 'str' in item ? names.get(item.fontName) : undefined
      return name === undefined || !('str' in item)
        ? item
        : { ...item, str: showSymbols(item.str, name) }
    })
  }

  /** The names of embedded fonts are known after the drawing operations of the page were read. */
  async function readNames(page: Page, keys: ReadonlySet<string>): Promise<void> {
    await readOperations(page)
    for (const key of keys) {
      const font = page.commonObjs.has(key) ? (page.commonObjs.get(key) as { name?: string }) : {}
      names.set(key, findSymbolFont(font.name ?? ''))
    }
  }

  function showSymbols(text: string, font: string): string {
    return text.replaceAll(font === 'Symbol' ? symbolCodes : codes, (character) => {
      const symbol = mapSymbol(font, character.charCodeAt(0))
      if (symbol === undefined && character > '\uefff') warnings.add('unknown_symbols')
      return symbol ?? character
    })
  }
}

const codes = /[!-ÿ\uf020-\uf0ff]/g

/** pdf.js knows the encoding of Symbol, which has no Latin letters. */
const symbolCodes = /[A-Za-z\uf020-\uf0ff]/g

/** The family of a font that is not embedded. */
function readFamily(style: object | undefined): string | undefined {
  const { fontSubstitution = '' } = (style ?? {}) as { readonly fontSubstitution?: string }
  return /^"([^"]+)"/.exec(fontSubstitution)?.[1]
}

/** The usual name of a symbol font, without the marks of a subset and a style. */
function findSymbolFont(name: string): string | undefined {
  let plain = name.replace(/^[A-Z]{6}\+/, '')
  while (style.test(plain)) plain = plain.replace(style, '')
  plain = plain.replace(/MT$/, '')
  return isSymbolFont(plain) ? plain : undefined
}

const style = /[-, ]?(?:Regular|Normal|Bold|Italic)$/

/**
 * Whether one of the fonts has characters of private use, or nothing but single letters, as bullets
 * and check marks are. Saves reading the drawing operations of most pages.
 */
function mayHaveSymbols(items: readonly TextItem[], fonts: ReadonlySet<string>): boolean {
  const single = new Set<string>()
  const words = new Set<string>()
  for (const item of items) {
    if (!('str' in item) || !fonts.has(item.fontName) || item.str.trim() === '') continue
    if (/[\uf020-\uf0ff]/.test(item.str)) return true
    const isSingle = /^\s*(\S)\1*\s*$/u.test(item.str)
    ;(isSingle ? single : words).add(item.fontName)
  }
  return Array.from(single).some((font) => !words.has(font))
}
