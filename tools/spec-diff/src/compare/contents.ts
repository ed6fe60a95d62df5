import type { Content, Operation } from '@farebox/codegen/model'
import { compareEncodings } from './encodings.js'
import { toMediaKey } from './media-key.js'
import { compareSchema } from '../schema/schema.js'
import { printJson, type Note, type Pair } from '../change/note.js'

export function compareBody(base: Operation, head: Operation, pair: Pair, note: Note): void {
  const [before, after] = [base.body, head.body]
  if (!before && !after) return
  if (!before || !after) {
    if (after)
      note(
        after.required ? 'request-required-body-added' : 'request-body-added',
        `it takes a body now${after.required ? ', which is required' : ''}`,
      )
    else note('request-body-removed', 'it takes no body any more', { gone: true })
    return
  }
  if (before.required !== after.required)
    note(
      after.required ? 'request-body-required' : 'request-body-optional',
      `the body is ${after.required ? 'required' : 'optional'} now`,
    )
  const [flatBefore, flatAfter] = [before.contents[0]?.flatten, after.contents[0]?.flatten]
  if (flatBefore !== flatAfter)
    note(
      'request-body-flattening-changed',
      `the input takes the body ${flatAfter === 'body' ? 'whole' : 'field by field'} now`,
    )
  if (before.description !== after.description)
    note('operation-description-changed', 'its body has another description')
  const [first, now] = [before.contents[0]?.mediaType, after.contents[0]?.mediaType]
  const key = (mediaType = '') => toMediaKey(mediaType)
  const kept = after.contents.some(({ mediaType }) => key(mediaType) === key(first))
  if (key(first) !== key(now) && kept)
    note(
      'request-media-type-preferred',
      `the body was sent as ${first ?? 'nothing'} and is sent as ${now ?? 'nothing'} now`,
    )
  compareContents(
    before.contents,
    after.contents,
    'request',
    `${head.id}: the body`,
    pair,
    head.id,
    note,
  )
}

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
  const ranges = findRanges(base, head)
  for (const content of head) {
    const from = findContent(base, content.mediaType)
    const replaced = ranges.get(content) ?? []
    for (const one of replaced) {
      const isWider = coversMediaType(content.mediaType, one.mediaType)
      const wording = isWider
        ? `was ${one.mediaType} and may be any`
        : `was any ${one.mediaType} and is`
      note(
        `${direction}-media-type-${isWider ? 'widened' : 'narrowed'}`,
        `${removeOperationId(where)} ${wording} ${content.mediaType} now`,
        { from: one.mediaType, to: content.mediaType },
      )
      compareSchema(one.schema, content.schema, where, { ...pair, direction, operation })
    }
    if (replaced.length > 0) continue
    if (!from) {
      note(
        `${direction}-media-type-added`,
        `${removeOperationId(where)} may also be ${content.mediaType} now`,
      )
      continue
    }
    if (from.mediaType !== content.mediaType && findContent(head, from.mediaType) === content)
      note(
        'media-type-spelled',
        `${removeOperationId(where)} is written ${content.mediaType} now, which means the same`,
        { from: from.mediaType, to: content.mediaType },
      )
    const title = head.length > 1 ? `${where} (${content.mediaType})` : where
    compareSchema(from.schema, content.schema, title, {
      ...pair,
      direction,
      operation,
    })
    const place = removeOperationId(where)
    compareEncodings([from, before], [content, after], direction, place, note)
    if (
      printJson(from.examples.map(({ value }) => value)) !==
      printJson(content.examples.map(({ value }) => value))
    )
      changes.note(
        'examples-changed',
        `${title} has other examples`,
        { side: 'head', origin: content.schema.notes.origin },
        { direction: 'both', subject: { kind: 'operation', name: operation }, operation },
      )
  }
  const replaced = new Set([...ranges.values()].flat())
  for (const content of base) {
    const { mediaType } = content
    if (findContent(head, mediaType) === undefined && !replaced.has(content))
      note(
        `${direction}-media-type-removed`,
        `${removeOperationId(where)} can no longer be ${mediaType}`,
        {
          gone: true,
        },
      )
  }
}

/** The content of a media type, as it is written or in another spelling. */
function findContent(contents: readonly Content[], mediaType: string): Content | undefined {
  return (
    contents.find((one) => one.mediaType === mediaType) ??
    contents.find((one) => toMediaKey(one.mediaType) === toMediaKey(mediaType))
  )
}

/** The contents that a range such as `text/*` replaces, and those that replace one. */
function findRanges(
  base: readonly Content[],
  head: readonly Content[],
): ReadonlyMap<Content, readonly Content[]> {
  const gone = base.filter(({ mediaType }) => findContent(head, mediaType) === undefined)
  const added = head.filter(({ mediaType }) => findContent(base, mediaType) === undefined)
  return new Map(
    added.map((content) => [
      content,
      gone.filter(
        ({ mediaType }) =>
          coversMediaType(mediaType, content.mediaType) ||
          coversMediaType(content.mediaType, mediaType),
      ),
    ]),
  )
}

/** Whether a media type is a range with the other one in it (RFC 9110, section 12.5.1). */
function coversMediaType(range: string, mediaType: string): boolean {
  const [start, type] = [toMediaKey(range), toMediaKey(mediaType)]
  return start === '*/*' || (start.endsWith('/*') && type.startsWith(start.slice(0, -1)))
}

/** Without the operation's id, which a note puts before its sentence. */
function removeOperationId(where: string): string {
  return where.replace(/^[^:]+: /, '')
}
