import { type getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import type { WarningCounter } from '../findings.js'
import { readOperations } from './operations.js'
import type { Page, TextItem } from './placed-text.js'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

/** The layers of a document (ISO 32000-1, 8.11), which pdf.js calls optional content. */
export type Layers = Awaited<ReturnType<Document['getOptionalContentConfig']>>

/** Undefined where every layer is shown when the document opens, as in most documents. */
export async function readHiddenLayers(document: Document): Promise<Layers | undefined> {
  const layers = await document.getOptionalContentConfig()
  for (const [, group] of layers)
    if (!(group as { readonly visible: boolean }).visible) return layers
  return undefined
}

/**
 * The items of the text of a page without those of hidden layers. pdf.js does not state the layer
 * of an item, but that of each drawing operation. Both have the text in the same order, and an item
 * is never in two layers.
 */
export async function removeHiddenItems(
  page: Page,
  items: readonly TextItem[],
  layers: Layers,
  warnings: WarningCounter,
): Promise<readonly TextItem[]> {
  const { letters, visibility } = await readDrawnLetters(page, layers)
  if (!visibility.includes(hidden)) return items
  let at = 0
  let isHidden = false
  return items.filter((item) => {
    if (!('str' in item)) return true
    const wanted = spell(item.str)
    // white space belongs to the text before it
    if (wanted === '') return !isHidden
    const index = findLetters(letters, wanted, at)
    const wasHidden = isHidden
    isHidden = false
    if (index === undefined) return true
    at = index + wanted.length
    isHidden = !visibility.slice(index, at).includes(shown)
    if (isHidden && !wasHidden) warnings.add('hidden_text')
    return !isHidden
  })
}

const shown = '1'
const hidden = '0'

/** All letters that a page draws, and whether each is `shown` or `hidden`. */
async function readDrawnLetters(page: Page, layers: Layers) {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await readOperations(page)
  const outer: boolean[] = []
  let isShown = true
  let letters = ''
  let visibility = ''
  fnArray.forEach((operator, index) => {
    const values = (argsArray[index] ?? []) as readonly unknown[]
    if (operator === OPS.beginMarkedContent || operator === OPS.beginMarkedContentProps) {
      outer.push(isShown)
      const isLayer = operator === OPS.beginMarkedContentProps && values[0] === 'OC'
      if (isLayer && layers.isVisible(values[1]) === false) isShown = false
    } else if (operator === OPS.endMarkedContent) isShown = outer.pop() ?? true
    else if (operator === OPS.showText) {
      const drawn = spell((values[0] as readonly unknown[]).map(readGlyph).join(''))
      letters += drawn
      visibility += (isShown ? shown : hidden).repeat(drawn.length)
    }
  })
  return { letters, visibility }
}

/** The numbers between glyphs are gaps. */
function readGlyph(glyph: unknown): string {
  return (glyph as { readonly unicode?: string } | null)?.unicode ?? ''
}

/** The letters of a string, without the changes that pdf.js makes to those of an item. */
function spell(string: string): string {
  return string.normalize('NFKD').replaceAll(/[\s\p{C}]/gu, '')
}

/** How many letters that are drawn outside a page may be skipped at once. */
const reach = 4096

/** Where letters follow, also in another order, since those of an item are in logical order. */
function findLetters(letters: string, wanted: string, from: number): number | undefined {
  const next = letters.slice(from, from + wanted.length)
  if (next === wanted || sortLetters(next) === sortLetters(wanted)) return from
  const offset = letters.slice(from, from + wanted.length + reach).indexOf(wanted)
  return offset < 0 ? undefined : from + offset
}

function sortLetters(letters: string): string {
  return Array.from(letters).toSorted().join('')
}
