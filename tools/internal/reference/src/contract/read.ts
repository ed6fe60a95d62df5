/** An object of a document. */
export type Json = Readonly<Record<string, unknown>>

/**
 * Follows references within a document. Members beside a `$ref` override those of its target. What
 * is not an object, and a reference without a target, reads as an empty object.
 */
export type DocumentReader = (node: unknown) => Json

/** The object, or an empty one in place of anything else. */
export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

/** The items of an array, or none of anything else. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The string, or nothing in place of anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function createReader(document: Json): DocumentReader {
  const targets = new Map<string, Json>()
  const read = (node: unknown): Json => {
    const { $ref, ...beside } = toObject(node)
    if (typeof $ref !== 'string') return beside
    const known = targets.get($ref)
    // a reference that leads back to itself has no target
    if (known === undefined) targets.set($ref, {})
    const target = known ?? read(findTarget(document, $ref))
    targets.set($ref, target)
    return { ...target, ...beside }
  }
  return read
}

function findTarget(document: Json, ref: string): unknown {
  const names = ref.slice(2).split('/').map(decodeName)
  return names.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, name)
        ? (found as Json)[name]
        : undefined,
    document,
  )
}

/** Decodes a segment of a JSON pointer in a URL fragment. */
function decodeName(name: string): string {
  const pointer = name.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}

/** The name of the component schema that a `$ref` leads to. */
export function readSchemaName(schema: { readonly $ref?: unknown }): string | undefined {
  const ref = toText(schema.$ref)
  return ref?.startsWith('#/components/schemas/')
    ? decodeName(ref.slice('#/components/schemas/'.length))
    : undefined
}

/** The path item and the operation itself, with references resolved. */
export function findOperation(
  document: Json,
  read: DocumentReader,
  { path, method }: { readonly path: string; readonly method: string },
): { readonly item: Json; readonly operation: Json } {
  const item = read(toObject(document['paths'])[path])
  const own = item[method.toLowerCase()] ?? toObject(item['additionalOperations'])[method]
  return { item, operation: read(own) }
}

/** The parameters of an operation. Its own override those of its path. */
export function listParameters(read: DocumentReader, item: Json, operation: Json): readonly Json[] {
  const all = [item['parameters'], operation['parameters']].flatMap(toList).map(read)
  return [
    ...new Map(all.map((one) => [`${String(one['in'])} ${String(one['name'])}`, one])).values(),
  ]
}

/** An example of a body. */
export type Example = { readonly name: string; readonly title: string; readonly value: unknown }

/** The named examples of a media type, or its only one. */
export function listExamples(read: DocumentReader, media: Json): readonly Example[] {
  if (media['example'] !== undefined)
    return [{ name: 'example', title: 'Example', value: media['example'] }]
  return Object.entries(toObject(media['examples'])).map(([name, example]) => {
    const { summary, value, dataValue, serializedValue } = read(example)
    return {
      name,
      title: toText(summary) ?? name.replaceAll('-', ' '),
      value: value ?? dataValue ?? serializedValue,
    }
  })
}
