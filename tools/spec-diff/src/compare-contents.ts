import type { Content } from '@farebox/codegen'
import { isSameEncoding } from './compare-encoding.js'
import { compareSchema } from './compare-schema.js'
import { mediaKey } from './media-key.js'
import { text, type Note, type Pair } from './note-operation.js'

export function compareContents(
  base: readonly Content[],
  head: readonly Content[],
  direction: 'request' | 'response',
  where: string,
  pair: Pair,
  operation: string,
  note: Note,
): void {
  const { changes, base: before, head: after } = pair
  for (const content of head) {
    const from = findContent(base, content.mediaType)
    if (!from) {
      note(`${direction}-media-type-added`, `${bare(where)} may also be ${content.mediaType} now`)
      continue
    }
    if (from.mediaType !== content.mediaType && findContent(head, from.mediaType) === content)
      note(
        'media-type-spelled',
        `${bare(where)} is written ${content.mediaType} now, which means the same`,
        { from: from.mediaType, to: content.mediaType },
      )
    const title = head.length > 1 ? `${where} (${content.mediaType})` : where
    compareSchema(from.schema, content.schema, title, {
      ...pair,
      direction,
      operation,
    })
    if (!isSameEncoding([from, before], [content, after]))
      note(`${direction}-encoding-changed`, `${bare(where)} has another encoding now`, {
        from: from.encoding,
        to: content.encoding,
      })
    if (
      text(from.examples.map(({ value }) => value)) !==
      text(content.examples.map(({ value }) => value))
    )
      changes.note(
        'examples-changed',
        `${title} has other examples`,
        { side: 'head', origin: content.schema.notes.origin },
        { direction: 'both', subject: { kind: 'operation', name: operation }, operation },
      )
  }
  for (const { mediaType } of base) {
    if (findContent(head, mediaType) === undefined)
      note(`${direction}-media-type-removed`, `${bare(where)} can no longer be ${mediaType}`, {
        gone: true,
      })
  }
}

/** The content of a media type, as it is written or in another spelling. */
function findContent(contents: readonly Content[], mediaType: string): Content | undefined {
  return (
    contents.find((one) => one.mediaType === mediaType) ??
    contents.find((one) => mediaKey(one.mediaType) === mediaKey(mediaType))
  )
}

/** Without the operation's id, which a note puts before its sentence. */
function bare(where: string): string {
  return where.replace(/^[^:]+: /, '')
}
