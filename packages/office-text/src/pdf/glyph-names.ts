import { getResolvedPDFJS } from 'unpdf'
import type { WarningCounter } from '../findings.js'
import { readOperations } from './operations.js'
import type { ItemReader, Page } from './placed-text.js'

/**
 * Reads the characters of glyphs by their names, such as `one.oldstyle` and `f_f`, where a font does
 * not state them in Unicode. pdf.js leaves the codes of such glyphs, often control characters.
 */
export const createGlyphReader =
  (warnings: WarningCounter): ItemReader =>
  async (page, items) => {
    if (!items.some((item) => 'str' in item && item.str.search(controls) >= 0)) return items
    const drawn = await readDrawnControls(page)
    let at = 0
    return items.map((item) => {
      if (!('str' in item)) return item
      const str = item.str.replaceAll(controls, (code) => {
        // items have the glyphs in the order of the drawing, without those that are not shown
        const skipped = drawn.slice(at, at + reach).findIndex((glyph) => glyph.code === code)
        if (skipped < 0) return code
        at += skipped + 1
        const text = drawn[at - 1]?.text
        // documents map the glyphs of a syllable, which are no characters, to zero
        if (text === undefined && code === '\0') warnings.add('unknown_symbols')
        return text ?? code
      })
      return { ...item, str }
    })
  }

const controls = /\p{Cc}/gu

/** How many glyphs that are not shown may be skipped at once. */
const reach = 256

/** A glyph without a character, and what its name says. */
type Glyph = { readonly code: string; readonly text: string | undefined }

async function readDrawnControls(page: Page): Promise<readonly Glyph[]> {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await readOperations(page)
  const glyphs: Glyph[] = []
  const outer: (readonly (string | undefined)[])[] = []
  let names: readonly (string | undefined)[] = []
  fnArray.forEach((operator, index) => {
    const [first] = (argsArray[index] ?? []) as readonly unknown[]
    if (operator === OPS.save) outer.push(names)
    else if (operator === OPS.restore) names = outer.pop() ?? []
    else if (operator === OPS.setFont) names = readNames(page, String(first))
    else if (operator === OPS.showText)
      for (const glyph of first as readonly ({ readonly unicode?: string } | number | null)[]) {
        const code = typeof glyph === 'number' ? '' : (glyph?.unicode ?? '')
        if (/^\p{Cc}$/u.test(code))
          glyphs.push({ code, text: spellGlyph(names[code.charCodeAt(0)] ?? '') })
      }
  })
  return glyphs
}

/** The names of the glyphs of a font by their codes. */
function readNames(page: Page, font: string): readonly (string | undefined)[] {
  if (!page.commonObjs.has(font)) return []
  const { differences = [] } = page.commonObjs.get(font) as {
    readonly differences?: readonly (string | undefined)[]
  }
  return differences
}

/**
 * The characters of a glyph by the rules of the Adobe Glyph List: the name ends at the first period,
 * and `_` joins the names of a ligature. Undefined for a name without a meaning.
 */
function spellGlyph(name: string): string | undefined {
  const [base = ''] = name.split('.', 1)
  const characters = base.split('_').map(spellComponent)
  return characters.includes(undefined) ? undefined : characters.join('')
}

function spellComponent(name: string): string | undefined {
  const at = asciiNames.indexOf(name)
  if (at >= 0) return String.fromCharCode(32 + at)
  if (/^[A-Za-z]$/.test(name)) return name
  const [, digits] = /^u(?:ni(?=.{4}$)|(?=.{5,6}$))([\dA-F]+)$/.exec(name) ?? []
  const code = Number.parseInt(digits ?? '', 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** From the space on, with places for the letters. */
const asciiNames = [
  ...'space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash'.split(
    ' ',
  ),
  ...'zero one two three four five six seven eight nine colon semicolon less equal greater question at'.split(
    ' ',
  ),
]
