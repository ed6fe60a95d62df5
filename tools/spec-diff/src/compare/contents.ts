import {
  mediaKind,
  type Content,
  type Encoding,
  type Operation,
  type Schema,
} from '@farebox/codegen/model'
import { compareSchema } from '../schema/schema.js'
import { printJson, type Note, type Pair } from '../change/note.js'
import type { Side } from '../difference/side.js'

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
      const isWider = isRangeOf(content.mediaType, one.mediaType)
      const said = isWider
        ? `was ${one.mediaType} and may be any`
        : `was any ${one.mediaType} and is`
      note(
        `${direction}-media-type-${isWider ? 'widened' : 'narrowed'}`,
        `${removeOperationId(where)} ${said} ${content.mediaType} now`,
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
    if (!isSameEncoding([from, before], [content, after]))
      note(
        `${direction}-encoding-changed`,
        `${removeOperationId(where)} has another encoding now`,
        {
          from: from.encoding,
          to: content.encoding,
        },
      )
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
          isRangeOf(mediaType, content.mediaType) || isRangeOf(content.mediaType, mediaType),
      ),
    ]),
  )
}

/** Whether a media type is a range with the other one in it (RFC 9110, section 12.5.1). */
function isRangeOf(range: string, mediaType: string): boolean {
  const [start, type] = [toMediaKey(range), toMediaKey(mediaType)]
  return start === '*/*' || (start.endsWith('/*') && type.startsWith(start.slice(0, -1)))
}

/** Without the operation's id, which a note puts before its sentence. */
function removeOperationId(where: string): string {
  return where.replace(/^[^:]+: /, '')
}

/** Whether the parts of a form are encoded in the same way. */
function isSameEncoding(
  [base, before]: readonly [Content, Side],
  [head, after]: readonly [Content, Side],
): boolean {
  if (Object.keys({ ...base.encoding, ...head.encoding }).length === 0) return true
  return printJson(readEncoding(base, before)) === printJson(readEncoding(head, after))
}

/** The facts of each part that differ from the defaults (OpenAPI 3.1, section 4.8.15). */
function readEncoding({ encoding, mediaType, schema }: Content, side: Side): object {
  const kind = mediaKind(mediaType)
  const parts = new Map(
    side
      .shape(schema)
      .options.flatMap((option) => (option.kind === 'object' ? option.properties : []))
      .map((property) => [property.name, side.shape(property.schema).options[0]]),
  )
  const entries = Object.entries(encoding).map(([name, facts]): [string, readonly unknown[]] => [
    name,
    kind === 'urlencoded'
      ? listStyleFacts(facts, parts.get(name))
      : listPartFacts(facts, parts.get(name), side),
  ])
  return entries
    .filter(([, facts]) => facts.some((fact) => fact !== null))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * A URL-encoded form is written in the style `form`, except for objects, which are JSON by default.
 */
function listStyleFacts(facts: Encoding, part: Schema | undefined): readonly unknown[] {
  const { style, explode, allowReserved, contentType } = facts
  const isStated = part?.kind === 'object' && (style !== undefined || explode !== undefined)
  const isForm = (style ?? 'form') === 'form'
  return [
    isForm && !isStated ? null : (style ?? 'form'),
    (explode ?? isForm) === isForm && !isStated ? null : (explode ?? isForm),
    allowReserved === true ? true : null,
    contentType === undefined ? null : toMediaKey(contentType),
  ]
}

function listPartFacts(facts: Encoding, part: Schema | undefined, side: Side): readonly unknown[] {
  const { style, explode, allowReserved, contentType } = facts
  const standard = part === undefined ? undefined : findDefaultType(part, side)
  const type = contentType === undefined ? null : contentType.split(',').map(toMediaKey).join()
  return [style ?? null, explode ?? null, allowReserved ?? null, type === standard ? null : type]
}

function findDefaultType(part: Schema, side: Side): string | undefined {
  if (part.kind === 'binary') return 'application/octet-stream'
  if (part.kind === 'object') return 'application/json'
  if (part.kind !== 'array')
    return ['string', 'number', 'boolean', 'enum'].includes(part.kind) ? 'text/plain' : undefined
  const [item, ...more] = side.shape(part.items).options
  return item === undefined || more.length > 0 || item.kind === 'array'
    ? undefined
    : findDefaultType(item, side)
}

/**
 * A media type in one spelling. Types, names of parameters and charsets are case-insensitive (RFC
 * 9110, section 8.3); JSON has no charset (RFC 8259, section 11), and that of text is UTF-8.
 */
export function toMediaKey(mediaType: string): string {
  const [type = '', ...parameters] = splitParameters(mediaType)
  const essence = type.trim().toLowerCase()
  const kept = parameters.flatMap((parameter) => {
    const at = parameter.indexOf('=')
    if (at === -1) return []
    const name = parameter.slice(0, at).trim().toLowerCase()
    const value = parameter
      .slice(at + 1)
      .trim()
      .replace(/^"((?:[^"\\]|\\.)*)"$/s, '$1')
    if (name !== 'charset') return [`${name}=${value}`]
    const charset = value.toLowerCase()
    return mediaKind(essence) === 'json' || /^utf-?8$/.test(charset) ? [] : [`charset=${charset}`]
  })
  return [essence, ...kept.toSorted()].join(';')
}

/** Splits at semicolons outside of quotes. */
function splitParameters(mediaType: string): readonly string[] {
  return mediaType.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []
}
