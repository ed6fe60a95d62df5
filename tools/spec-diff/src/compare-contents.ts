import type { Content } from '@farebox/codegen'
import { compareSchema } from './compare-schema.js'
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
    const from = base.find(({ mediaType }) => mediaType === content.mediaType)
    if (!from) {
      note(`${direction}-media-type-added`, `${bare(where)} may also be ${content.mediaType} now`)
      continue
    }
    const title = head.length > 1 ? `${where} (${content.mediaType})` : where
    compareSchema(from.schema, content.schema, title, {
      changes,
      base: before,
      head: after,
      direction,
      operation,
    })
    if (text(readEncoding(from)) !== text(readEncoding(content)))
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
    if (!head.some((content) => content.mediaType === mediaType))
      note(`${direction}-media-type-removed`, `${bare(where)} can no longer be ${mediaType}`, {
        gone: true,
      })
  }
}

/** A part without any fact is encoded as one that is not named. */
function readEncoding({ encoding }: Content): Content['encoding'] {
  return Object.fromEntries(
    Object.entries(encoding).filter(([, facts]) => Object.keys(facts).length > 0),
  )
}

/** Without the operation's id, which a note puts before its sentence. */
function bare(where: string): string {
  return where.replace(/^[^:]+: /, '')
}
