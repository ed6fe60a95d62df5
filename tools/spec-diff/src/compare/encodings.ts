import { mediaKind, type Content, type Encoding, type Schema } from '@farebox/codegen/model'
import { printJson, type Note } from '../change/note.js'
import type { Side } from '../difference/side.js'
import { toMediaKey } from './media-key.js'

/** Reports how the parts of a form are encoded, or only which other media types they may have. */
export function compareEncodings(
  [base, before]: readonly [Content, Side],
  [head, after]: readonly [Content, Side],
  direction: 'request' | 'response',
  where: string,
  note: Note,
): void {
  const names = Object.keys({ ...base.encoding, ...head.encoding })
  if (names.length === 0) return
  const [from, to] = [readEncoding(base, before), readEncoding(head, after)]
  if (printFacts(from) === printFacts(to)) return
  const lists = names.map((name) => ({
    name,
    former: listTypes(base, name),
    latter: listTypes(head, name),
  }))
  // writers use the first media type of a part, and the caller writes one that may be XML
  const areKept = lists.every(
    ({ former, latter }) => former[0] === latter[0] && hasXml(former) === hasXml(latter),
  )
  if (!areKept || printFacts(from.map(removeTypes)) !== printFacts(to.map(removeTypes))) {
    const values = { from: base.encoding, to: head.encoding }
    note(`${direction}-encoding-changed`, `${where} has another encoding now`, values)
    return
  }
  for (const { name, former, latter } of lists) {
    const part = `the part ${name} of ${where}`
    for (const type of latter)
      if (!former.includes(type))
        note(`${direction}-media-type-added`, `${part} may also be ${type} now`)
    for (const type of former)
      if (!latter.includes(type))
        note(`${direction}-media-type-removed`, `${part} can no longer be ${type}`, { gone: true })
  }
}

function hasXml(mediaTypes: readonly string[]): boolean {
  return mediaTypes.some((type) => /[/+]xml\b/.test(type))
}

/** The media types that a part states. */
function listTypes({ encoding }: Content, name: string): readonly string[] {
  return encoding[name]?.contentType?.split(',').map(toMediaKey) ?? []
}

/** The facts of a part, the last of which are its media types. A default is null. */
type Part = readonly [name: string, facts: readonly unknown[]]

function removeTypes([name, facts]: Part): Part {
  return [name, facts.slice(0, -1)]
}

/** The parts that differ from the defaults. */
function printFacts(parts: readonly Part[]): string {
  return printJson(
    parts
      .filter(([, facts]) => facts.some((fact) => fact !== null))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** The facts of each part (OpenAPI 3.1, section 4.8.15). */
function readEncoding({ encoding, mediaType, schema }: Content, side: Side): readonly Part[] {
  const kind = mediaKind(mediaType)
  const parts = new Map(
    side
      .shape(schema)
      .options.flatMap((option) => (option.kind === 'object' ? option.properties : []))
      .map((property) => [property.name, side.shape(property.schema).options[0]]),
  )
  return Object.entries(encoding).map(([name, facts]) => [
    name,
    kind === 'urlencoded'
      ? listStyleFacts(facts, parts.get(name))
      : listPartFacts(facts, parts.get(name), side),
  ])
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
