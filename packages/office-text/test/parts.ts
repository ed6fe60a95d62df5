import { strToU8, zipSync } from 'fflate'
import { extractDocument, type ExtractedText } from '../src/extract-text.js'

export type Parts = Readonly<Record<string, string | Uint8Array>>

/** A package of Office with these parts. */
export function packParts(parts: Parts): Uint8Array {
  const all: Parts = { '[Content_Types].xml': '<Types/>', ...parts }
  return zipSync(
    Object.fromEntries(
      Object.entries(all).map(([name, part]) => [
        name,
        typeof part === 'string' ? strToU8(part) : part,
      ]),
    ),
  )
}

export function linkParts(
  ...entries: readonly (readonly [id: string, type: string, target: string])[]
): string {
  const links = entries.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="urn:x/${type}" Target="${target}"/>`,
  )
  return `<Relationships>${links.join('')}</Relationships>`
}

export function readParts(parts: Parts): Promise<ExtractedText> {
  return extractDocument(packParts(parts))
}
