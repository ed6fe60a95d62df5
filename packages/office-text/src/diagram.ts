import type { OfficeFile } from './office-file.js'
import { readXml } from './xml.js'

/**
 * The lines of a SmartArt graphic (ECMA-376 part 1, 21.4): the texts of its points in the order of
 * their tree. Points that the tree does not have come last.
 */
export function readDiagram(file: OfficeFile, path: string): readonly string[] {
  const points = new Map<string, string[]>()
  const children = new Map<string, { readonly order: number; readonly id: string }[]>()
  const inner = new Set<string>()
  let lines: string[] = []
  let inParagraph = false
  let inText = false
  readXml(file.archive, path, 'diagram', file.limits, {
    open(name, attributes) {
      if (name === 'pt') points.set(attributes['modelId'] ?? '', (lines = []))
      else if (name === 'p') {
        lines.push('')
        inParagraph = true
      } else if (name === 't') inText = inParagraph
      else if (name === 'br' && inParagraph) lines.push(`${lines.pop() ?? ''}\n`)
      if (name !== 'cxn' || (attributes['type'] ?? 'parOf') !== 'parOf') return
      const { srcId = '', destId = '', srcOrd } = attributes
      const list = children.get(srcId) ?? []
      children.set(srcId, list)
      list.push({ order: Number(srcOrd ?? list.length), id: destId })
      inner.add(destId)
    },
    close(name) {
      if (name === 'p') inParagraph = false
      if (name === 't') inText = false
    },
    text(text) {
      if (!inText) return
      file.characters.spend(text.length)
      lines.push((lines.pop() ?? '') + text)
    },
  })

  const texts: string[] = []
  const seen = new Set<string>()
  const ids = [...points.keys()].toReversed()
  const pending = [...ids.filter((id) => inner.has(id)), ...ids.filter((id) => !inner.has(id))]
  while (pending.length > 0) {
    const id = pending.pop() ?? ''
    if (seen.has(id)) continue
    seen.add(id)
    texts.push(...(points.get(id) ?? []).filter((line) => line.trim() !== ''))
    const list = children.get(id) ?? []
    pending.push(...list.toSorted((a, b) => b.order - a.order).map((child) => child.id))
  }
  return texts
}
