import { isObject, readOwn, pointerTo, type Json, type JsonObject } from '../json.js'
import { mapSlots, type Shape } from '../shape.js'
import { findAround, findHolders, traits, type Traits } from '../traits.js'
import {
  convertSchema,
  createMarks,
  findMarks,
  type FormContext,
  type Mark,
  type Marks,
} from './schema-form.js'

export type Forms = {
  readonly root: JsonObject
  /** Maps a pointer of `root` to the original document. A form has the place of its schema. */
  readonly origin: (pointer: string) => string
  /** Maps a pointer of the original document to `root`: to its schema and to the forms of it. */
  readonly copies: (pointer: string) => readonly string[]
}

/** A document with copies of some named schemas. `homes`: the pointer of each copy and its schema. */
export function createForms(root: JsonObject, homes: ReadonlyMap<string, string>): Forms {
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
  const components = readOwn(root, 'components') as JsonObject
  return {
    ...root,
    components: {
      ...components,
      schemas: { ...(readOwn(components, 'schemas') as JsonObject), ...added },
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

/** The mark that each direction leaves out, and the suffix of its forms. */
const directions = {
  request: { suffix: 'Request', mark: 'readOnly' },
  response: { suffix: 'Response', mark: 'writeOnly' },
} as const

/** A context for each direction in which the document leaves something out. */
type FormContexts = { readonly [Way in keyof typeof directions]?: FormContext }

/**
 * Gives requests and responses their own forms of a schema (OpenAPI 3.1.1, "Schema Object"; 3.0.4,
 * "readOnly", "writeOnly"): a request has no read-only property and a response no write-only one,
 * required or not. A named schema that differs gets a second one, `…Request` or `…Response`, to
 * which requests or responses then refer. The schema itself stays unchanged.
 */
export function splitForms(root: JsonObject): Forms {
  const schemas = readOwn(readOwn(root, 'components'), 'schemas')
  const components = new Map(isObject(schemas) ? Object.entries(schemas) : [])
  const contexts = createContexts(root, components)
  const forms = Object.values(contexts).flatMap((context) =>
    [...context.names].map(([key, form]) => ({
      key,
      form,
      schema: convertSchema(components.get(key) ?? {}, context),
    })),
  )
  if (contexts.request === undefined && contexts.response === undefined)
    return createForms(root, new Map())
  const split = convertNode(root, 'document', undefined, contexts) as JsonObject
  if (forms.length === 0) return createForms(split, new Map())
  const homes = new Map(
    forms.map(({ key, form }) => [
      pointerTo('/components/schemas', form),
      pointerTo('/components/schemas', key),
    ]),
  )
  const added = Object.fromEntries(forms.map(({ form, schema }) => [form, schema]))
  return createForms(addSchemas(split, added), homes)
}

function createContexts(root: JsonObject, components: ReadonlyMap<string, Json>): FormContexts {
  const found = findMarks(root)
  const marks = createMarks(components)
  const createContext = ({
    suffix,
    mark,
  }: (typeof directions)[keyof typeof directions]): FormContext | undefined =>
    found.has(mark)
      ? { components, marks, mark, names: nameForms(components, suffix, mark, marks) }
      : undefined
  const [request, response] = [
    createContext(directions.request),
    createContext(directions.response),
  ]
  return { ...(request && { request }), ...(response && { response }) }
}

/**
 * Converts the schemas of request bodies and responses. Callbacks and webhooks have the opposite
 * direction and stay unchanged.
 */
function convertNode(
  node: Json,
  shape: Shape,
  way: keyof FormContexts | undefined,
  contexts: FormContexts,
): Json {
  if (!isObject(node)) return node
  const context = way && contexts[way]
  if (way !== undefined && context === undefined) return node
  if (shape === 'schema') return context === undefined ? node : convertSchema(node, context)
  return mapSlots(node, shape, (child, childShape) => {
    if (childShape === 'callback') return child
    const inner =
      childShape === 'requestBody' ? 'request' : childShape === 'response' ? 'response' : way
    return convertNode(child, childShape, inner, contexts)
  })
}

/** The named schemas that differ in a direction, each with the name of its form. */
function nameForms(
  components: ReadonlyMap<string, Json>,
  suffix: 'Request' | 'Response',
  mark: Mark,
  marks: Marks,
): ReadonlyMap<string, string> {
  const differing = findDifferingKeys(components, mark, marks)
  const takenNames = new Set(components.keys())
  const names = new Map<string, string>()
  for (const key of components.keys()) {
    if (!differing.has(key)) continue
    let form = key + suffix
    while (takenNames.has(form)) form += 'Form'
    takenNames.add(form)
    names.set(key, form)
  }
  return names
}

/** The schemas with a marked property, and all that refer to one of them. */
function findDifferingKeys(
  components: ReadonlyMap<string, Json>,
  mark: Mark,
  marks: Marks,
): ReadonlySet<string> {
  const { isMarked } = marks
  const isMarkedWithin = ({ bits, refs }: Traits) =>
    (bits & traits[mark]) !== 0 || refs.some((ref) => isMarked({ $ref: ref }, mark))
  return findHolders(
    components,
    (schema) =>
      findAround(
        schema,
        isMarkedWithin,
        (node) => {
          const properties = readOwn(node, 'properties')
          return (
            isObject(properties) &&
            Object.values(properties).some((property) => isMarked(property, mark))
          )
        },
        'schema',
      ).size > 0,
  )
}
