import { own, pointerTo } from '../document/json.js'
import type { JsonObject } from '../document/json.js'
import { chainTo, findReferences } from './chain.js'
import type { Step } from './chain.js'
import type { Edit } from './edits.js'

/** The parts that are left out, so that the rest can be generated. */
export type Units = {
  /**
   * Removes the smallest unit around an error: a schema, else the operation, else the path item or
   * component with everything that refers to it. Returns false if the error is in none of them.
   */
  readonly isolate: (pointer: string) => boolean
  readonly edits: ReadonlyMap<string, Edit>
  /** The number of times an edit was added or changed. */
  readonly changes: () => number
}

/** Keywords whose schema accepts less where a schema below accepts more. */
const turning: ReadonlySet<string> = new Set(['not', 'if', 'contains'])

/** Keywords whose schemas affect `unevaluatedProperties` and `unevaluatedItems`. */
const telling: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
  'dependentSchemas',
])

/** The units of a document in one piece. */
export function findUnits(root: JsonObject): Units {
  const edits = new Map<string, Edit>()
  const seen = new Set<string>()
  let changes = 0
  let references: ReturnType<typeof findReferences> | undefined
  const findUsers = (component: string): readonly string[] =>
    (references ??= findReferences(root)).get(component) ?? []
  const edit = (pointer: string, kind: Edit): void => {
    if (edits.get(pointer) === kind) return
    edits.set(pointer, kind)
    changes++
  }
  return { isolate, edits, changes: () => changes }

  function isolate(pointer: string): boolean {
    const { steps, rest } = chainTo(root, pointer)
    if (steps.some(({ shape }) => shape === 'schema')) return openSchema(steps, rest)
    const unit = steps.findLast(({ shape }) => shape === 'operation' || shape === 'pathItem')
    if (unit !== undefined) return drop(unit.pointer)
    const [, components, component] = steps
    if (components?.shape === 'components' && component !== undefined) {
      const known = edits.has(component.pointer)
      return drop(component.pointer) && (known || findUsers(component.pointer).every(isolate))
    }
    // a client without servers requires a base URL
    return rest[0] === 'servers' && drop('/servers')
  }

  function drop(pointer: string): true {
    edit(pointer, 'drop')
    return true
  }

  function openSchema(steps: readonly Step[], [keyword = '']: readonly string[]): true {
    const { pointer } = steps.at(-1) as Step
    // only a hint, without effect on validation
    if (keyword === 'discriminator') return drop(pointerTo(pointer, keyword))
    // often a boolean on a property, as in drafts before the fourth
    if (keyword === 'required') drop(pointerTo(pointer, keyword))
    else edit(pointer, 'open')
    widen(steps)
    return true
  }

  /**
   * Opens and loosens the schemas around one that now accepts more, so that none accepts less, and
   * then those that refer to it.
   */
  function widen(steps: readonly Step[]): void {
    const first = steps.findIndex(({ shape }) => shape === 'schema')
    for (let index = steps.length - 1; index > first; index--) {
      const [outer, inner] = [steps[index - 1] as Step, steps[index] as Step]
      const { node, pointer } = outer
      if (
        turning.has(inner.via) ||
        (telling.has(inner.via) && isClosed(node)) ||
        (inner.via === 'oneOf' && own(node, 'anyOf') !== undefined)
      )
        edit(pointer, 'open')
      else if (inner.via === 'oneOf' && edits.get(pointer) !== 'open') edit(pointer, 'loosen')
    }
    const { pointer } = steps[first] as Step
    if (steps[first - 1]?.shape !== 'components' || seen.has(pointer)) return
    seen.add(pointer)
    for (const user of findUsers(pointer)) {
      const { steps: around } = chainTo(root, user)
      const holder = around.at(-1) as Step
      if (isClosed(holder.node)) edit(holder.pointer, 'open')
      widen(around)
    }
  }
}

function isClosed(schema: Step['node']): boolean {
  return (
    own(schema, 'unevaluatedProperties') !== undefined ||
    own(schema, 'unevaluatedItems') !== undefined
  )
}
