import {
  isObject,
  pointerTo,
  valueAt,
  type Document,
  type Json,
  type JsonObject,
} from '@farebox/codegen'
import { mediaKey } from './media-key.js'

type Origin = ReturnType<Document['origin']>

/** What no generated code has: a link of a response, or a header of a part of a body. */
export type Extra = {
  readonly kind: 'link' | 'request-part-header' | 'response-part-header'
  /** `the link owner of the response 200`. */
  readonly title: string
  readonly value: JsonObject
  readonly origin: Origin
}

/** The extras of each operation, by its method and path as `get /trams`. */
export type Extras = ReadonlyMap<string, readonly Extra[]>

/** Reads the links of responses and the headers of parts. */
export function readExtras(document: Document): Extras {
  const reader = createReader(document)
  const found = new Map<string, readonly Extra[]>()
  for (const [path, item] of reader.entries('/paths', document.root['paths']))
    for (const [method, operation] of reader.entries(pointerTo('/paths', path), item.value)) {
      const extras = ofOperation(reader, operation)
      if (extras.length > 0) found.set(`${method} ${path}`, extras)
    }
  return found
}

type Found = { readonly value: Json; readonly pointer: string }
type Reader = {
  /** The members of an object, with references resolved. */
  readonly entries: (
    pointer: string,
    value: Json | undefined,
  ) => readonly (readonly [string, Found])[]
  readonly origin: Document['origin']
}

function createReader(document: Document): Reader {
  const resolved = (found: Found): Found => {
    let { value, pointer } = found
    for (let hops = 0; isObject(value) && typeof value['$ref'] === 'string' && hops < 50; hops++) {
      pointer = value['$ref'].slice(1)
      value = valueAt(document.root, pointer) ?? null
    }
    return { value, pointer }
  }
  return {
    entries: (pointer, value) =>
      isObject(value)
        ? Object.entries(value).map(([name, inner]) => [
            name,
            resolved({ value: inner, pointer: pointerTo(pointer, name) }),
          ])
        : [],
    origin: document.origin,
  }
}

function ofOperation(reader: Reader, operation: Found): readonly Extra[] {
  return reader
    .entries(operation.pointer, operation.value)
    .flatMap(([name, { value, pointer }]) => {
      if (name === 'requestBody')
        return ofContents(reader, { value, pointer }, 'request-part-header', 'the body')
      if (name !== 'responses') return []
      return reader
        .entries(pointer, value)
        .flatMap(([status, response]) => [
          ...within(reader, response, 'links').map(([link, at]) =>
            extra(reader, 'link', `the link ${link} of the response ${status}`, at),
          ),
          ...ofContents(reader, response, 'response-part-header', `the response ${status}`),
        ])
    })
}

function ofContents(
  reader: Reader,
  body: Found,
  kind: Extra['kind'],
  where: string,
): readonly Extra[] {
  return within(reader, body, 'content').flatMap(([mediaType, media]) =>
    within(reader, media, 'encoding').flatMap(([part, encoding]) =>
      within(reader, encoding, 'headers').map(([header, at]) =>
        extra(
          reader,
          kind,
          `the header ${header} of the part ${part} of ${where} (${mediaKey(mediaType)})`,
          at,
        ),
      ),
    ),
  )
}

function within(
  reader: Reader,
  { value, pointer }: Found,
  key: string,
): readonly (readonly [string, Found])[] {
  return isObject(value) ? reader.entries(`${pointer}/${key}`, value[key]) : []
}

function extra(
  { origin }: Reader,
  kind: Extra['kind'],
  title: string,
  { value, pointer }: Found,
): Extra {
  return { kind, title, value: isObject(value) ? value : {}, origin: origin(pointer) }
}
