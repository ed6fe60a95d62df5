import { isList, isObject, own, valueAt } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'

/** The components that the operations and webhooks of a document lead to, as pointers. */
export function reachedFrom(root: JsonObject): ReadonlySet<string> {
  const reached = new Set<string>()
  const stack: Json[] = [own(root, 'paths') ?? null, own(root, 'webhooks') ?? null]
  const reach = (target: Json | undefined): void => {
    const pointer = typeof target === 'string' && target.startsWith('#/components/') ? target.slice(1) : undefined
    if (pointer === undefined || reached.has(pointer)) return
    reached.add(pointer)
    stack.push(valueAt(root, pointer) ?? null)
  }
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isList(node)) for (const item of node) stack.push(item)
    if (!isObject(node)) continue
    reach(own(node, '$ref'))
    const mapping = own(own(node, 'discriminator'), 'mapping')
    if (isObject(mapping)) for (const target of Object.values(mapping)) reach(target)
    for (const key of Object.keys(node)) stack.push(node[key] as Json)
  }
  return reached
}
