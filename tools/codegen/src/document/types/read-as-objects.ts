import { isList, isObject, memoize, readOwn, type Json, type JsonObject } from '../json.js'
import { addPart } from '../discriminators/allowed-tags.js'
import { mapItems, mapMembers, mapSlots, type Shape } from '../shape.js'
import { findAround, impliesObject, traits } from '../traits.js'
import {
  allTypes,
  isNullable,
  findPossibleTypes,
  type TypeScope,
  type Version,
} from './possible-types.js'

/**
 * States `type: object` where a schema has keywords of objects and no type. JSON Schema accepts
 * every string, list and number there, which no author of a document means. What already decides
 * the type has precedence: values, other parts of `allOf`, keywords of other types. Nothing is
 * stated for what only narrows a value: an option with no more than `required`, or a schema under
 * `not`, `if`, `then` or `else`. No node moves.
 */
export function readAsObjects(root: JsonObject, version: Version): JsonObject {
  const schemas = readOwn(readOwn(root, 'components'), 'schemas')
  const written = new Map<string, Json>(isObject(schemas) ? Object.entries(schemas) : [])
  const around = findAround(root, ({ bits }) => (bits & traits.untypedObject) !== 0, impliesObject)
  if (around.size === 0) return root
  const components = new Map<string, Json>()
  const scope: TypeScope = {
    document: { version },
    components: {
      get: (key) => {
        const schema = written.get(key)
        return schema && memoize(components, key, schema, () => read(schema))
      },
    },
  }
  return readWithin(root, 'document') as JsonObject

  function readWithin(node: Json, shape: Shape, isPart = false): Json {
    if (!isObject(node) || (!isPart && !around.has(node))) return node
    if (shape !== 'schema') return mapSlots(node, shape, (child, inner) => readWithin(child, inner))
    return mapSlots(isPart ? node : (read(node) as JsonObject), shape, (child, inner, key) =>
      conditions.has(key) ? child : readWithin(child, inner, parts.has(key)),
    )
  }

  /** The schema of a value, with its parts and options. */
  function read(schema: Json, isDecided = false, isOption = false): Json {
    if (!isObject(schema) || !around.has(schema)) return schema
    const hasTypes = isDecided || !isAnything(schema)
    const isMeant = !hasTypes && describes(schema, isOption)
    const inner = mapMembers(schema, (value, key) =>
      choices.has(key) && isList(value)
        ? mapItems(value, (part) => read(part, hasTypes || isMeant, isOption || key !== 'allOf'))
        : value,
    )
    if (!isMeant) return inner
    // the types beside a composition would take away its null
    return isNullable(scope, schema) && [...choices].some((key) => Object.hasOwn(schema, key))
      ? addPart(inner, { type: 'object' })
      : { type: 'object', ...inner }
  }

  function isAnything(schema: Json): boolean {
    return findPossibleTypes(scope, schema).size === allTypes.length
  }

  function describes(schema: JsonObject, isOption: boolean): boolean {
    if (!impliesObject(schema)) return false
    if (isOption && !fieldWords.some((word) => Object.hasOwn(schema, word))) return false
    const options = [readOwn(schema, 'anyOf'), readOwn(schema, 'oneOf')].flatMap((list) =>
      isList(list) ? list : [],
    )
    return options.every((option) => findPossibleTypes(scope, option).has('object'))
  }
}

/** What says which fields a value has, and not only what they must be. */
const fieldWords = ['properties', 'patternProperties', 'additionalProperties']

const choices: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])

/** The schemas of the same value. */
const parts: ReadonlySet<string> = new Set([...choices, 'then', 'else', 'dependentSchemas'])

/** The schemas that a value may fail. */
const conditions: ReadonlySet<string> = new Set(['not', 'if'])
