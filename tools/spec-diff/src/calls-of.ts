import { buildApi, type Api, type Document } from '@farebox/codegen'

type Json = Document['root'][string]
type JsonObject = Document['root']

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
    const [, section, path = '', ...rest] = pointer.split('/')
    const item = section === 'paths' ? paths.get(unescaped(path)) : undefined
    return item === undefined ? pointer : [item.pointer, ...rest].join('/')
  }
  const root = { ...document.root, webhooks: {}, paths: Object.fromEntries([...paths].map(([path, { node }]) => [path, node])) }
  const place: Document['place'] = (pointer) => document.place(original(pointer))
  const origin: Document['origin'] = (pointer) => document.origin(original(pointer))
  return buildApi({ ...document, root, place, origin }).api
}

function webhooksOf(root: JsonObject): readonly Item[] {
  return entriesOf(root['webhooks']).map(([name, node]) => ({ name: `webhooks/${name}`, pointer: `/webhooks/${escaped(name)}`, node }))
}

/** `paths → path → method → callbacks → name → expression → path item`. */
function callbacksOf(root: JsonObject): readonly Item[] {
  return entriesOf(root['paths']).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) =>
      entriesOf(isObject(operation) ? operation['callbacks'] : undefined).flatMap(([name, callback]) =>
        entriesOf(callback).map(([expression, node], index): Item => {
          const pointer = ['/paths', path, method, 'callbacks', name, expression]
            .map((part, at) => (at === 0 ? part : escaped(part)))
            .join('/')
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

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
