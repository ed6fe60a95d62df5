import { collectDiagnostics, type Diagnostic, type Place } from '../diagnostics.js'
import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  readOwn,
  parsePointer,
  pointerTo,
} from '../document/json.js'
import type { Document } from '../document/load.js'
import type { Api } from '../ir/api.js'
import { translate } from '../ir/build.js'
import type { Translations } from '../ir/build-reuse.js'
import { findSlot, type Shape } from '../document/shape.js'

/** A part of the document that is missing from the output, or `unknown` there. */
export type LeftOut = {
  readonly kind: 'operation' | 'schema' | 'other'
  /** `POST /pets`, or a pointer into the joined document. */
  readonly name: string
  readonly place: Place
}

export type Isolated = {
  /** Undefined if an error is in no part that can be left out, or nothing remains. */
  readonly api?: Api
  /** The document without the parts that were left out. */
  readonly document: Document
  readonly diagnostics: readonly Diagnostic[]
  /** The errors of the diagnostics. */
  readonly errors: readonly Diagnostic[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * Translates a document without its faulty parts. Each pass removes the units in which the previous
 * one found errors, so the passes end. What is equal in the first of the `translations` is shared
 * with it. Without one, this is the first if it has no errors.
 */
export function isolate(document: Document, translations?: Translations): Isolated {
  const { report, all, errors } = collectDiagnostics()
  const found = {
    get diagnostics() {
      return all()
    },
    get errors() {
      return errors()
    },
  }
  const units = findUnits(document.root)
  let rest = document
  // the first pass reads the unchanged document, to report all errors in one run
  for (let broken = document.broken; ; broken = []) {
    const { api, faults, kept } = translate(rest, report, translations)
    if (api !== undefined && broken.length + faults.length === 0) {
      if (translations && kept && errors().length === 0)
        translations.first = { document, api, schemas: kept }
      const leftOut = listLeftOut(document, units.edits)
      return Object.assign(found, {
        document: rest,
        leftOut,
        ...(isEmpty(api, units.edits) ? {} : { api }),
      })
    }
    const before = units.changes()
    const isolable = [...broken, ...faults].every(units.isolate)
    if (!isolable || units.changes() === before)
      return Object.assign(found, { document, leftOut: [] })
    rest = { ...document, root: applyEdits(document.root, units.edits) }
  }
}

/** Whether edits have removed everything from a document. */
function isEmpty({ operations, schemas }: Api, edits: ReadonlyMap<string, Edit>): boolean {
  return (
    edits.size > 0 &&
    operations.length === 0 &&
    schemas.every(({ key }) => edits.get(pointerTo('/components/schemas', key)) === 'open')
  )
}

function listLeftOut({ place }: Document, edits: ReadonlyMap<string, Edit>): readonly LeftOut[] {
  return [...edits].flatMap(([pointer, edit]): LeftOut[] => {
    if (edit === 'loosen') return []
    const [section, path = '', method, ...deeper] = parsePointer(pointer)
    if (section === 'paths' && method !== undefined && deeper.length === 0)
      return [{ kind: 'operation', name: `${method.toUpperCase()} ${path}`, place: place(pointer) }]
    return [
      { kind: edit === 'open' ? 'schema' : 'other', name: `#${pointer}`, place: place(pointer) },
    ]
  })
}

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

/** Keywords that accept less if their schema accepts more. */
const inverting: ReadonlySet<string> = new Set(['not', 'if', 'contains'])

/** Keywords whose schemas affect `unevaluatedProperties` and `unevaluatedItems`. */
const evaluating: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
  'dependentSchemas',
])

/** The units of a document in one piece. */
function findUnits(root: JsonObject): Units {
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
        inverting.has(inner.via) ||
        (evaluating.has(inner.via) && isClosed(node)) ||
        (inner.via === 'oneOf' && readOwn(node, 'anyOf') !== undefined)
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
    readOwn(schema, 'unevaluatedProperties') !== undefined ||
    readOwn(schema, 'unevaluatedItems') !== undefined
  )
}

/**
 * A change of a node: `drop` removes it, `open` makes a schema accept every value, `loosen` allows
 * more than one option of its `oneOf` to match.
 */
type Edit = 'drop' | 'open' | 'loosen'

type Tree = { edit?: Edit; readonly below: Map<string, Tree> }

/** Applies edits to a document. Unchanged nodes are shared with the original. */
function applyEdits(root: JsonObject, edits: ReadonlyMap<string, Edit>): JsonObject {
  const tree: Tree = { below: new Map() }
  for (const [pointer, edit] of edits) {
    let at = tree
    for (const segment of parsePointer(pointer)) {
      const next = at.below.get(segment) ?? { below: new Map() }
      at.below.set(segment, next)
      at = next
    }
    at.edit = edit
  }
  return editNode(root, tree) as JsonObject
}

function editNode(node: Json, { edit, below }: Tree): Json | undefined {
  if (edit === 'drop') return undefined
  if (edit === 'open') return opened
  if (isList(node))
    return node.map((item, index) => editMember(item, below.get(String(index))) ?? null)
  if (!isObject(node)) return node
  const members = Object.entries(node).flatMap(([key, value]): [string, Json][] => {
    const item = editMember(value, below.get(key))
    return item === undefined ? [] : [[edit === 'loosen' && key === 'oneOf' ? 'anyOf' : key, item]]
  })
  return Object.fromEntries(members)
}

function editMember(value: Json, tree: Tree | undefined): Json | undefined {
  return tree === undefined ? value : editNode(value, tree)
}

/** Generated documentation states why the type is `unknown`. */
const opened: JsonObject = { description: 'Accepts every value, as the document has a fault here.' }

/** An object of OpenAPI on the path to a place, and its keyword in the enclosing object. */
type Step = {
  readonly shape: Shape
  readonly pointer: string
  readonly node: Json
  readonly via: string
}

/**
 * The objects of OpenAPI around a place, the document first, and the remaining segments after the
 * last of them.
 */
function chainTo(
  root: JsonObject,
  pointer: string,
): { readonly steps: readonly [Step, ...Step[]]; readonly rest: readonly string[] } {
  let step: Step = { shape: 'document', pointer: '', node: root, via: '' }
  const steps: [Step, ...Step[]] = [step]
  const segments = parsePointer(pointer)
  for (let next = 0; next < segments.length;) {
    const keyword = segments[next] ?? ''
    const slot = findSlot(step.shape, keyword)
    const ends = slot === undefined || (slot.as !== 'one' && next + 1 >= segments.length)
    if (ends) return { steps, rest: segments.slice(next) }
    // a map of callbacks has names in place of keywords
    const length = slot.as === 'one' ? 1 : 2
    let node: Json = step.node
    let at = step.pointer
    for (const segment of segments.slice(next, next + length)) {
      node =
        (Array.isArray(node)
          ? (node as readonly Json[])[Number(segment)]
          : readOwn(node, segment)) ?? null
      at = pointerTo(at, segment)
    }
    step = { shape: slot.shape, pointer: at, node, via: keyword }
    steps.push(step)
    next += length
  }
  return { steps, rest: [] }
}

/** Finds the references to each component: the pointers of the objects with the `$ref`. */
function findReferences(root: JsonObject): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const stack: Pick<Step, 'shape' | 'pointer' | 'node'>[] = [
    { shape: 'document', pointer: '', node: root },
  ]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { shape, pointer, node } = step
    if (!isObject(node)) continue
    const ref = readOwn(node, '$ref')
    if (typeof ref === 'string') {
      const places = found.get(ref.slice(1)) ?? []
      places.push(pointer)
      found.set(ref.slice(1), places)
    }
    for (const [key, value] of Object.entries(node)) {
      const slot = findSlot(shape, key)
      if (slot === undefined || typeof value !== 'object' || value === null) continue
      const at = pointerTo(pointer, key)
      if (slot.as === 'one') stack.push({ shape: slot.shape, pointer: at, node: value })
      else
        for (const [name, item] of Object.entries(value))
          stack.push({ shape: slot.shape, pointer: pointerTo(at, name), node: item })
    }
  }
  return found
}
