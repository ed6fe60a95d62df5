import { buildApi, isObject, pointerTo, segmentsOf, type Api, type Document, type Json, type JsonObject } from '@farebox/codegen'

/** A path item outside of `paths`, and where it stands. */
type Item = { readonly name: string; readonly pointer: string; readonly node: Json }

/**
 * The requests that the service sends: the webhooks of a document and the callbacks of its
 * operations, as operations of their own. Undefined if there are none, or if one has faults.
 */
export function callsOf(document: Document): Api | undefined {
  const items = [...webhooksOf(document.root), ...callbacksOf(document.root)]
  if (items.length === 0) return undefined
  const paths = new Map(items.map((item) => [`/${item.name}`, item]))
  const original = (pointer: string): string => {
    const [section, path = '', ...rest] = segmentsOf(pointer)
    const item = section === 'paths' ? paths.get(path) : undefined
    return item === undefined ? pointer : pointerTo(item.pointer, ...rest)
  }
  const root = { ...document.root, webhooks: {}, paths: Object.fromEntries([...paths].map(([path, { node }]) => [path, node])) }
  const place: Document['place'] = (pointer) => document.place(original(pointer))
  const origin: Document['origin'] = (pointer) => document.origin(original(pointer))
  return buildApi({ ...document, root, place, origin }).api
}

function webhooksOf(root: JsonObject): readonly Item[] {
  return entriesOf(root['webhooks']).map(([name, node]) => ({ name: `webhooks/${name}`, pointer: pointerTo('/webhooks', name), node }))
}

/** `paths → path → method → callbacks → name → expression → path item`. */
function callbacksOf(root: JsonObject): readonly Item[] {
  return entriesOf(root['paths']).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) =>
      entriesOf(isObject(operation) ? operation['callbacks'] : undefined).flatMap(([name, callback]) =>
        entriesOf(callback).map(([expression, node], index): Item => {
          const pointer = pointerTo('/paths', path, method, 'callbacks', name, expression)
          // the expression is no path: its braces name fields of a request
          return { name: `callbacks/${method}${path.replaceAll(/[{}]/g, '')}/${name}${index === 0 ? '' : `/${index}`}`, pointer, node }
        }),
      ),
    ),
  )
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value).filter(([name]) => !name.startsWith('x-')) : []
}
