import { mediaKind, type Content, type Encoding, type Schema } from '@farebox/codegen'
import { mediaKey } from './media-key.js'
import { text } from './note-operation.js'
import type { Side } from './side.js'

/** Whether the parts of a form are encoded in the same way. */
export function isSameEncoding(
  [base, before]: readonly [Content, Side],
  [head, after]: readonly [Content, Side],
): boolean {
  if (Object.keys({ ...base.encoding, ...head.encoding }).length === 0) return true
  return text(readEncoding(base, before)) === text(readEncoding(head, after))
}

/** What is said of each part beside the defaults (OpenAPI 3.1, section 4.8.15). */
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
      ? styleFacts(facts, parts.get(name))
      : partFacts(facts, parts.get(name), side),
  ])
  return entries
    .filter(([, facts]) => facts.some((fact) => fact !== null))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** A form in a URL is written in the style `form`, but for an object, which is JSON by default. */
function styleFacts(facts: Encoding, part: Schema | undefined): readonly unknown[] {
  const { style, explode, allowReserved, contentType } = facts
  const isStated = part?.kind === 'object' && (style !== undefined || explode !== undefined)
  const isForm = (style ?? 'form') === 'form'
  return [
    isForm && !isStated ? null : (style ?? 'form'),
    (explode ?? isForm) === isForm && !isStated ? null : (explode ?? isForm),
    allowReserved === true ? true : null,
    contentType === undefined ? null : mediaKey(contentType),
  ]
}

function partFacts(facts: Encoding, part: Schema | undefined, side: Side): readonly unknown[] {
  const { style, explode, allowReserved, contentType } = facts
  const standard = part === undefined ? undefined : defaultType(part, side)
  const type = contentType === undefined ? null : contentType.split(',').map(mediaKey).join()
  return [style ?? null, explode ?? null, allowReserved ?? null, type === standard ? null : type]
}

function defaultType(part: Schema, side: Side): string | undefined {
  if (part.kind === 'binary') return 'application/octet-stream'
  if (part.kind === 'object') return 'application/json'
  if (part.kind !== 'array')
    return ['string', 'number', 'boolean', 'enum'].includes(part.kind) ? 'text/plain' : undefined
  const [item, ...more] = side.shape(part.items).options
  return item === undefined || more.length > 0 || item.kind === 'array'
    ? undefined
    : defaultType(item, side)
}
