import { show } from '../diagnostics.js'
import { isList, isObject, readOwn, valueAt, type Json, type JsonObject } from './json.js'
import { mapMembers } from './shape.js'

const methods: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
])
const withoutBody: ReadonlySet<string> = new Set(['get', 'head'])

/**
 * Writes into each operation of a Swagger 2.0 document what it inherits and swagger2openapi does
 * not give it: bodies and form fields of its path, and its own `produces` for shared responses. A
 * form with a file is a multipart one, whatever the document consumes.
 */
export function inheritSwagger(root: JsonObject): JsonObject {
  const paths = readOwn(root, 'paths')
  if (!isObject(paths)) return root
  return { ...root, paths: mapMembers(paths, (item) => inheritPath(item, root)) }
}

function inheritPath(item: Json, root: JsonObject): Json {
  if (!isObject(item)) return item
  const shared = listOwn(item, 'parameters')
  const bodies = shared.filter((parameter) => isBody(parameter, root))
  const rest = shared.filter((parameter) => !bodies.includes(parameter))
  return mapMembers(item, (field, key) => {
    if (key === 'parameters') return bodies.length === 0 ? field : rest
    if (!methods.has(key) || !isObject(field)) return field
    const inherited = withoutBody.has(key) ? [] : bodies
    return inheritMediaTypes(inheritBodies(field, inherited, root), root)
  })
}

function inheritBodies(
  operation: JsonObject,
  bodies: readonly Json[],
  root: JsonObject,
): JsonObject {
  const own = listOwn(operation, 'parameters')
  const ownBodies = own.filter((one) => isBody(one, root)).map((one) => follow(one, root))
  const missing = bodies.filter((one) => {
    const body = follow(one, root)
    return readOwn(body, 'in') === 'body'
      ? ownBodies.length === 0
      : ownBodies.every((other) => readOwn(other, 'name') !== readOwn(body, 'name'))
  })
  return missing.length === 0 ? operation : { ...operation, parameters: [...own, ...missing] }
}

function inheritMediaTypes(operation: JsonObject, root: JsonObject): JsonObject {
  const consumes = readOwn(operation, 'consumes') ?? readOwn(root, 'consumes') ?? []
  const hasFile = listOwn(operation, 'parameters').some((parameter) => {
    const field = follow(parameter, root)
    return readOwn(field, 'in') === 'formData' && readOwn(field, 'type') === 'file'
  })
  const isMultipart = [consumes].flat().some((type) => /^"multipart\//i.test(show(type)))
  const responses = readOwn(operation, 'responses')
  const produces = readOwn(operation, 'produces')
  const isSameAsShared =
    produces === undefined || JSON.stringify(produces) === JSON.stringify(readOwn(root, 'produces'))
  return {
    ...operation,
    ...(hasFile && !isMultipart && { consumes: ['multipart/form-data'] }),
    ...(!isSameAsShared &&
      isObject(responses) && {
        responses: mapMembers(responses, (response) => follow(response, root)),
      }),
  }
}

function isBody(parameter: Json, root: JsonObject): boolean {
  const place = readOwn(follow(parameter, root), 'in')
  return place === 'body' || place === 'formData'
}

/** What a reference within the document leads to, else the node itself. */
function follow(node: Json, root: JsonObject): Json {
  const ref = readOwn(node, '$ref')
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return node
  return valueAt(root, ref.slice(1)) ?? node
}

function listOwn(node: JsonObject, key: string): readonly Json[] {
  const list = readOwn(node, key)
  return isList(list) ? list : []
}
