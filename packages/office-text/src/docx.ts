import { readFlow } from './flow.js'
import { characterBudget } from './limits.js'
import type { OfficeFile } from './office-file.js'
import { readRelationships } from './relationships.js'

/** The text of a DOCX: headers, body, footnotes, endnotes, footers. Equal parts appear once. */
export function readDocx({ archive, main, limits }: OfficeFile): string {
  const characters = characterBudget(limits)
  const links = readRelationships(archive, main, limits)
  const read = (path: string, label: string): string =>
    readFlow(archive, path, label, limits, characters).join('\n')
  const linked = (type: string): readonly string[] => {
    const texts = links
      .filter((link) => link.type === type)
      .map((link) => read(link.path, type).trim())
    return [...new Set(texts)]
  }
  const parts = [
    ...linked('header'),
    read(main, 'document'),
    ...linked('footnotes'),
    ...linked('endnotes'),
    ...linked('footer'),
  ]
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}
