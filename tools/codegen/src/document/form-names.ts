import { referredKey } from './form-marks.js'
import type { Mark, Marks } from './form-marks.js'
import { isObject, own } from './json.js'
import type { Json } from './json.js'
import { mapSlots } from './map-members.js'

/** The named schemas that differ in a direction, each with the name of its form. */
export function formNames(
  components: ReadonlyMap<string, Json>,
  suffix: 'Request' | 'Response',
  mark: Mark,
  marks: Marks,
): ReadonlyMap<string, string> {
  const differing = differingKeys(components, mark, marks)
  const taken = new Set(components.keys())
  const names = new Map<string, string>()
  for (const key of components.keys()) {
    if (!differing.has(key)) continue
    let form = key + suffix
    while (taken.has(form)) form += 'Form'
    taken.add(form)
    names.set(key, form)
  }
  return names
}

/** The schemas with a marked property, and all that refer to one of them. */
function differingKeys(components: ReadonlyMap<string, Json>, mark: Mark, marks: Marks): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  const differing = new Set<string>()
  for (const [key, schema] of components) {
    const { marked, refs } = contentsOf(schema, mark, marks)
    if (marked) differing.add(key)
    for (const ref of refs) {
      const known = users.get(ref)
      if (known === undefined) users.set(ref, [key])
      else known.push(key)
    }
  }
  for (const key of differing) for (const user of users.get(key) ?? []) differing.add(user)
  return differing
}

/** Whether a schema has a marked property at any depth, and the components that it refers to. */
function contentsOf(schema: Json, mark: Mark, { isMarked }: Marks): { readonly marked: boolean; readonly refs: ReadonlySet<string> } {
  const refs = new Set<string>()
  let marked = false
  const stack: Json[] = [schema]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isObject(node)) continue
    const key = referredKey(node)
    if (key !== undefined) refs.add(key)
    const properties = own(node, 'properties')
    if (isObject(properties)) marked ||= Object.values(properties).some((property) => isMarked(property, mark))
    mapSlots(node, 'schema', (child) => {
      if (typeof child === 'object') stack.push(child)
      return child
    })
  }
  return { marked, refs }
}
