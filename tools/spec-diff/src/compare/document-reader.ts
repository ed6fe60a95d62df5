import {
  isObject,
  pointerTo,
  valueAt,
  type Document,
  type Json,
  type JsonObject,
} from '@farebox/codegen/model'

/** A part of a document, as it is written. */
export type LocatedValue = {
  readonly value: Json
  readonly pointer: string
  /** The references that led to it, outermost first. Since OpenAPI 3.1 they may say more. */
  readonly references?: readonly JsonObject[]
}
export type Reader = {
  /** A member of an object, with references resolved. */
  readonly follow: (found: LocatedValue, key: string) => LocatedValue
  /** The members of an object, with references resolved. */
  readonly entries: (
    pointer: string,
    value: Json | undefined,
  ) => readonly (readonly [string, LocatedValue])[]
  readonly origin: Document['origin']
}

export function createReader(document: Document): Reader {
  const followRefs = (found: LocatedValue): LocatedValue => {
    let { value, pointer } = found
    const references: JsonObject[] = []
    for (let hops = 0; isObject(value) && typeof value['$ref'] === 'string' && hops < 50; hops++) {
      if (document.version !== '3.0') references.push(value)
      pointer = value['$ref'].slice(1)
      value = valueAt(document.root, pointer) ?? null
    }
    return { value, pointer, references }
  }
  return {
    follow: ({ value, pointer }, key) =>
      followRefs({
        value: (isObject(value) ? value[key] : undefined) ?? null,
        pointer: pointerTo(pointer, key),
      }),
    entries: (pointer, value) =>
      isObject(value)
        ? Object.entries(value).map(([name, inner]) => [
            name,
            followRefs({ value: inner, pointer: pointerTo(pointer, name) }),
          ])
        : [],
    origin: document.origin,
  }
}

/** The members of a member, with references resolved. */
export function listMembers(
  reader: Reader,
  { value, pointer }: LocatedValue,
  key: string,
): readonly (readonly [string, LocatedValue])[] {
  return isObject(value) ? reader.entries(`${pointer}/${key}`, value[key]) : []
}

/** What each operation has of something, by its method and path as `get /trams`. */
export function readOperations<Item>(
  document: Document,
  reader: Reader,
  list: (operation: LocatedValue) => readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, readonly Item[]>()
  for (const [path, item] of reader.entries('/paths', document.root['paths']))
    for (const [method, operation] of reader.entries(pointerTo('/paths', path), item.value)) {
      const items = list(operation)
      if (items.length > 0) found.set(`${method} ${path}`, items)
    }
  return found
}
