import { own } from '../json.js'
import type { Json, JsonObject } from '../json.js'

export type Forms = {
  readonly root: JsonObject
  /** Maps a pointer of `root` to the original document. A form has the place of its schema. */
  readonly origin: (pointer: string) => string
  /** Maps a pointer of the original document to `root`: to its schema and to the forms of it. */
  readonly copies: (pointer: string) => readonly string[]
}

/** A document with copies of some named schemas. `homes`: the pointer of each copy and its schema. */
export function copiedSchemas(root: JsonObject, homes: ReadonlyMap<string, string>): Forms {
  if (homes.size === 0)
    return { root, origin: (pointer) => pointer, copies: (pointer) => [pointer] }
  return {
    root,
    origin: (pointer) => findOrigin(pointer, homes),
    copies: (pointer) => [pointer, ...findCopies(pointer, homes)],
  }
}

/** Adds named schemas, or replaces them. */
export function addSchemas(root: JsonObject, added: Readonly<Record<string, Json>>): JsonObject {
  const components = own(root, 'components') as JsonObject
  return {
    ...root,
    components: {
      ...components,
      schemas: { ...(own(components, 'schemas') as JsonObject), ...added },
    },
  }
}

function findOrigin(pointer: string, homes: ReadonlyMap<string, string>): string {
  if (!pointer.startsWith(prefix)) return pointer
  const end = pointer.indexOf('/', prefix.length)
  const home = homes.get(end === -1 ? pointer : pointer.slice(0, end))
  return home === undefined ? pointer : home + (end === -1 ? '' : pointer.slice(end))
}

function findCopies(pointer: string, homes: ReadonlyMap<string, string>): readonly string[] {
  return [...homes].flatMap(([form, home]) =>
    `${pointer}/`.startsWith(`${home}/`) ? [form + pointer.slice(home.length)] : [],
  )
}

const prefix = '/components/schemas/'
