import { show } from '../diagnostics.js'
import type { Report } from '../diagnostics.js'
import { inheritSwagger } from './inherit-swagger.js'
import { isObject, readOwn, childAt, isList, pointerTo, parsePointer, valueAt } from './json.js'
import type { Json } from './json.js'
import { mapMembers } from './shape.js'
import type { Source } from './source.js'

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0 and returns other documents unchanged. Places stay
 * those of the file. Reports a document that cannot be converted and returns undefined.
 */
export async function upgradeSwagger(source: Source, report: Report): Promise<Source | undefined> {
  const version = readOwn(source.data, 'swagger')
  if (!isObject(source.data) || !/^"?2(\.|"|$)/.test(show(version))) return source
  // loaded late: the library takes a tenth of a second to load
  const { convertObj } = (await import('swagger2openapi')).default
  const place = source.place('/swagger')
  try {
    // the library changes its argument
    const copy = JSON.parse(
      JSON.stringify(inheritSwagger({ ...source.data, swagger: '2.0' })),
      prepareLists,
    ) as Parameters<typeof convertObj>[0]
    const { openapi } = await muteWarnings(() =>
      convertObj(copy, { patch: true, warnOnly: true, anchors: true }),
    )
    for (const { pointer, format, expected } of findLostFormats(source.data))
      report('FB4039', source.place(pointer), show(format), expected)
    // removes the undefined fields that the library leaves
    const data = JSON.parse(JSON.stringify(openapi), encodeLists) as Json
    return {
      ...source,
      data,
      place: (pointer) => source.place(findInSwagger(pointer, data, source.data)),
    }
  } catch (error) {
    report(
      'FB1005',
      place,
      error instanceof Error ? show(error.message) : 'an unknown error',
      'a document that swagger2openapi converts',
    )
    return undefined
  }
}

/** Of a field of a form, the library keeps only extensions, and not the format of an array. */
const listFormat = 'x-collectionFormat'

const styles = new Map<Json | undefined, string>([
  [undefined, 'form'],
  ['csv', 'form'],
  ['ssv', 'spaceDelimited'],
  ['pipes', 'pipeDelimited'],
])

/** Prepares the lists whose format the library leaves out. */
function prepareLists(key: string, node: Json): Json {
  return key === 'headers' && isObject(node) ? mapMembers(node, joinList) : noteStyle(node)
}

/** An array in a response header is separated by commas, or else one string of all its items. */
function joinList(header: Json): Json {
  const format = readOwn(header, 'collectionFormat')
  if (!isObject(header) || format === undefined || format === 'csv') return header
  const { items: _items, collectionFormat: _format, ...rest } = header
  return { ...rest, type: 'string' }
}

/** Notes the style of an array that is a field of a form. */
function noteStyle(node: Json): Json {
  if (readOwn(node, 'in') !== 'formData' || readOwn(node, 'type') !== 'array') return node
  const style = styles.get(readOwn(node, 'collectionFormat'))
  return isObject(node) && style !== undefined ? { ...node, [listFormat]: style } : node
}

/** Makes the noted styles of a form its encoding. */
function encodeLists(_key: string, media: Json): Json {
  const schema = readOwn(media, 'schema')
  const fields = readOwn(schema, 'properties')
  if (!isObject(media) || !isObject(schema) || !isObject(fields)) return media
  const encoding = new Map<string, Json>()
  const properties = mapMembers(fields, (field, name) => {
    const { [listFormat]: style, ...rest } = isObject(field) ? field : {}
    if (typeof style !== 'string' || style === 'tsv') return field
    encoding.set(name, { style, explode: false })
    return rest
  })
  return encoding.size === 0
    ? media
    : { ...media, schema: { ...schema, properties }, encoding: Object.fromEntries(encoding) }
}

type LostFormat = { readonly pointer: string; readonly format: Json; readonly expected: string }

/**
 * Formats of lists without a counterpart: tabs, any but commas in a path or a header, and any within
 * another list, which is JSON now.
 */
function findLostFormats(root: Json): readonly LostFormat[] {
  const found: LostFormat[] = []
  const stack: (readonly [Json, string])[] = [[root, '']]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, pointer] = next
    const collectionFormat = readOwn(node, 'collectionFormat')
    const format = collectionFormat ?? 'csv'
    const at = collectionFormat === undefined ? pointer : pointerTo(pointer, 'collectionFormat')
    if (isInnerList(node, pointer))
      found.push({ pointer: at, format, expected: 'no array within an array' })
    else if (format !== 'csv' && isInCommas(node, pointer))
      found.push({ pointer: at, format, expected: 'csv' })
    else if (format === 'tsv')
      found.push({ pointer: at, format, expected: 'csv, ssv, pipes or multi' })
    const children = isList(node) ? node.entries() : isObject(node) ? Object.entries(node) : []
    for (const [key, child] of children)
      if (typeof child === 'object' && child !== null) stack.push([child, pointerTo(pointer, key)])
  }
  return found
}

/** Whether OpenAPI 3 separates an array by commas only: in a path, and in a header of either side. */
function isInCommas(node: Json, pointer: string): boolean {
  const place = readOwn(node, 'in')
  const isParameter = (place === 'path' || place === 'header') && readOwn(node, 'type') === 'array'
  return isParameter || /\/responses\/[^/]+\/headers\/[^/]+$/.test(pointer)
}

/** Whether a node is an array within the array of a parameter, of which a schema knows nothing. */
function isInnerList(node: Json, pointer: string): boolean {
  return readOwn(node, 'type') === 'array' && /\/parameters\/[^/]+(?:\/items)+$/.test(pointer)
}

/** The library also prints the errors that it throws. */
async function muteWarnings<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console
  Object.assign(console, { warn: () => undefined })
  try {
    return await work()
  } finally {
    Object.assign(console, { warn })
  }
}

/** The top-level sections of Swagger 2.0 that OpenAPI 3.0 has below `components`. */
const sections: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  parameters: 'parameters',
  responses: 'responses',
  securitySchemes: 'securityDefinitions',
}

/** Maps a pointer of the converted document to the nearest place in the Swagger 2.0 document. */
function findInSwagger(pointer: string, converted: Json, swagger: Json): string {
  const segments = parsePointer(pointer)
  const section = segments[0] === 'components' ? sections[segments[1] ?? ''] : undefined
  let [at, done] = section === undefined ? ['', 0] : [`/${section}`, 2]
  let node = valueAt(swagger, at)
  while (done < segments.length && node !== undefined) {
    const step = findStep(node, segments, done, () =>
      valueAt(converted, pointerTo('', ...segments.slice(0, done + 2))),
    )
    if (step === undefined) break
    done += step.uses
    for (const segment of step.into) {
      at = pointerTo(at, segment)
      node = childAt(node, segment)
    }
  }
  return at
}

type Step = { readonly uses: number; readonly into: readonly string[] }

/** The next step in both documents: how many segments of one are which segments of the other. */
function findStep(
  node: Json,
  segments: readonly string[],
  done: number,
  nextTwo: () => Json | undefined,
): Step | undefined {
  const segment = segments[done] ?? ''
  if (segment === 'parameters' && isList(readOwn(node, segment))) {
    const index = segments[done + 1] === undefined ? -1 : findParameter(nextTwo(), node)
    return { uses: 2, into: index === -1 ? [segment] : [segment, String(index)] }
  }
  if (childAt(node, segment) !== undefined) return { uses: 1, into: [segment] }
  if (segment === 'requestBody') return findBodyStep(node, segments.slice(done))
  // in Swagger 2.0, a response has a schema without a media type, and a parameter is its own schema
  if (segment === 'content') return { uses: 2, into: [] }
  return segment === 'schema' ? { uses: 1, into: [] } : undefined
}

/** A body is a parameter in the body, or one parameter for each field of a form. */
function findBodyStep(
  operation: Json,
  [, , , , properties, name]: readonly string[],
): Step | undefined {
  const parameters = readOwn(operation, 'parameters')
  if (!isList(parameters)) return undefined
  const body = parameters.findIndex((parameter) => readOwn(parameter, 'in') === 'body')
  if (body !== -1) return { uses: 1, into: ['parameters', String(body)] }
  const field = parameters.findIndex(
    (parameter) => readOwn(parameter, 'in') === 'formData' && readOwn(parameter, 'name') === name,
  )
  return field === -1 || properties !== 'properties'
    ? undefined
    : { uses: 6, into: ['parameters', String(field)] }
}

/** Conversion removed bodies from the list, so the indexes differ. */
function findParameter(parameter: Json | undefined, node: Json): number {
  const parameters = readOwn(node, 'parameters')
  const [ref, name, place] = ['$ref', 'name', 'in'].map((key) => readOwn(parameter, key))
  const reference = typeof ref === 'string' ? ref.replace('#/components/', '#/') : undefined
  return (isList(parameters) ? parameters : []).findIndex((other) =>
    isObject(other) && reference !== undefined
      ? readOwn(other, '$ref') === reference
      : readOwn(other, 'name') === name && readOwn(other, 'in') === place,
  )
}
