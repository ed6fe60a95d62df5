import {
  buildApi,
  isObject,
  pointerTo,
  segmentsOf,
  type Api,
  type Document,
  type Json,
  type JsonObject,
} from '@farebox/codegen'

/** A path item outside of `paths`, and where it stands. */
type Item = { readonly name: string; readonly pointer: string; readonly node: Json }

/**
 * The requests that the service sends: the webhooks of a document and the callbacks of its
 * operations, as operations of their own. Undefined if there are none, or if one has faults.
 */
export function buildCalls(document: Document): Api | undefined {
  const items = [...listWebhooks(document.root), ...listCallbacks(document.root)]
  if (items.length === 0) return undefined
  const paths = new Map(items.map((item) => [`/${item.name}`, item]))
  const original = (pointer: string): string => {
    const [section, path = '', ...rest] = segmentsOf(pointer)
    const item = section === 'paths' ? paths.get(path) : undefined
    return item === undefined ? pointer : pointerTo(item.pointer, ...rest)
  }
  const root = {
    ...document.root,
    webhooks: {},
    paths: Object.fromEntries([...paths].map(([path, { node }]) => [path, node])),
  }
  const place: Document['place'] = (pointer) => document.place(original(pointer))
  const origin: Document['origin'] = (pointer) => document.origin(original(pointer))
  return buildApi({ ...document, root, place, origin }).api
}

function listWebhooks(root: JsonObject): readonly Item[] {
  return listEntries(root['webhooks']).map(([name, node]) => ({
    name: `webhooks/${name}`,
    pointer: pointerTo('/webhooks', name),
    node,
  }))
}

/** `paths → path → method → callbacks → name → expression → path item`. */
function listCallbacks(root: JsonObject): readonly Item[] {
  return listEntries(root['paths']).flatMap(([path, item]) =>
    listEntries(item).flatMap(([method, operation]) =>
      listEntries(isObject(operation) ? operation['callbacks'] : undefined).flatMap(
        ([name, callback]) =>
          listEntries(callback).map(([expression, node], index): Item => {
            const pointer = pointerTo('/paths', path, method, 'callbacks', name, expression)
            // the expression is no path: its braces name fields of a request
            return {
              name: `callbacks/${method}${path.replaceAll(/[{}]/g, '')}/${name}${index === 0 ? '' : `/${index}`}`,
              pointer,
              node,
            }
          }),
      ),
    ),
  )
}

function listEntries(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value).filter(([name]) => !name.startsWith('x-')) : []
}
