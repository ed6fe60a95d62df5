import type { Place } from '../../diagnostics.js'
import { readOwn, isObject, pointerTo, parsePointer } from '../json.js'
import type { JsonObject } from '../json.js'
import { splitRef } from '../files.js'
import type { Files } from '../files.js'
import type { Shape } from '../shape.js'
import type { Source } from '../source.js'

/** A node of a source file. */
export type Spot = { readonly source: Source; readonly pointer: string }

/** The same without the data of the file. */
export type WrittenSpot = {
  readonly source: Pick<Source, 'name' | 'place'>
  readonly pointer: string
}

/** The target of each `$dynamicAnchor` on the path to a schema: that of the outermost scope. */
export type Scope = ReadonlyMap<string, Spot>

/**
 * A component that the bundle adds to those of the entry file: its name, its source and its
 * bindings.
 */
type HoistedComponent = {
  readonly section: string
  readonly shape: Shape
  readonly name: string
  readonly spot: Spot
  readonly scope?: Scope
}

export type ComponentNames = {
  /**
   * The pointer of a target's component. The first call for a target creates it, and so does the
   * first for each scope in which it is another schema.
   */
  readonly componentPointer: (shape: Shape, spot: Spot, scope?: Scope) => string | undefined
  /** Whether a component of the entry file or of an earlier call has this name. */
  readonly isTaken: (section: string, name: string) => boolean
  /** The next component to copy, in order of first reference. */
  readonly next: () => HoistedComponent | undefined
}

/** The sections whose members stay where they are. References to others are replaced by their targets. */
export const sections: Partial<Record<Shape, string>> = {
  schema: 'schemas',
  response: 'responses',
  parameter: 'parameters',
  header: 'headers',
  requestBody: 'requestBodies',
  example: 'examples',
  mediaType: 'mediaTypes',
}

export function toSpotKey({ source, pointer }: Spot): string {
  return `${source.location}#${pointer}`
}

/** A string that is equal for equal scopes. */
function toScopeKey(scope: Scope): string {
  return Array.from(scope, ([name, spot]) => JSON.stringify([name, toSpotKey(spot)]))
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join()
}

/** The place of a node, for diagnostics. */
export function findPlace({ source, pointer }: WrittenSpot): Place {
  return source.place(pointer)
}

/**
 * Names the components of a bundle. When a component of the entry file is only a reference to
 * another file, the content of that file gets the component's name.
 */
export function createComponentNames({ entry, follow }: Files): ComponentNames {
  const names = new Map<string, string>()
  const takenNames = new Set<string>()
  const queue: HoistedComponent[] = []
  const components = readOwn(entry.data, 'components')
  for (const section of Object.values(sections)) {
    const members = readOwn(components, section)
    if (!isObject(members)) continue
    for (const key of Object.keys(members)) {
      takenNames.add(`${section}/${key}`)
      names.set(
        `${section} ${toSpotKey({ source: entry, pointer: pointerTo('/components', section, key) })}`,
        key,
      )
    }
    for (const [key, value] of Object.entries(members)) {
      const target = findAliasTarget(value as JsonObject)
      if (target !== undefined && !names.has(`${section} ${toSpotKey(target)}`))
        names.set(`${section} ${toSpotKey(target)}`, key)
    }
  }

  return {
    componentPointer: (shape, spot, scope) => {
      const section = sections[shape]
      if (section === undefined) return undefined
      const id = `${section} ${toSpotKey(spot)}${scope === undefined ? '' : toScopeKey(scope)}`
      let name = names.get(id)
      if (name === undefined) {
        const words =
          scope === undefined
            ? ''
            : `Of${[...scope.values()].map((one) => proposeName(shape, one)).join('And')}`
        name = reserveName(section, `${proposeName(shape, spot)}${words}`)
        names.set(id, name)
        queue.push({ section, shape, name, spot, ...(scope && { scope }) })
      }
      return pointerTo('/components', section, name)
    },
    isTaken: (section, name) => takenNames.has(`${section}/${name}`),
    next: () => queue.shift(),
  }

  function findAliasTarget(value: JsonObject): Spot | undefined {
    const ref = readOwn(value, '$ref')
    if (typeof ref !== 'string' || Object.keys(value).length !== 1) return undefined
    const { file, pointer } = splitRef(ref)
    const loaded = follow(entry, file)
    return 'source' in loaded && loaded.source !== entry
      ? { source: loaded.source, pointer }
      : undefined
  }

  function reserveName(section: string, name: string): string {
    let unique = name
    for (let count = 2; takenNames.has(`${section}/${unique}`); count++) unique = `${name}${count}`
    takenNames.add(`${section}/${unique}`)
    return unique
  }
}

/**
 * `#/$defs/Pet` → Pet; `#/components/schemas/Pet/properties/tag` → PetTag;
 * `schemas/standard-error.yaml` → StandardError.
 */
function proposeName(shape: Shape, { source, pointer }: Spot): string {
  const words = parsePointer(pointer).filter((segment) => !structural.has(segment))
  if (words.length === 0)
    words.push((source.location.split(/[\\/]/).at(-1) ?? '').replace(/\.[^.]*$/, ''))
  const [only] = words
  if (
    words.length === 1 &&
    only !== undefined &&
    (shape === 'schema' ? /^[\p{L}_$][\p{L}\p{N}_$]*$/u : /^[\w.-]+$/).test(only)
  )
    return only
  const parts = words.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u)).filter((part) => part !== '')
  return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('') || 'Unnamed'
}

const structural = new Set([
  'components',
  'schemas',
  'parameters',
  'headers',
  'examples',
  'requestBodies',
  'mediaTypes',
  '$defs',
  'definitions',
  'properties',
  'paths',
  'content',
  'schema',
  'responses',
  'requestBody',
])
