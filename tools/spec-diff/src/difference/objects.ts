import { admits, type Json, type Of, type Schema } from '@farebox/codegen/model'
import { add, type Goal, type Solution, type Solve, type Split, toVersioned } from './goal.js'
import type { VersionedSchema } from '../values/signature.js'
import { listRequired, listPropertyRules } from '../values/includes-kinds.js'
import { anything, createEnum, negate, nothing, nowhere, createObject } from './schemas.js'

type ObjectSchema = Of<'object'>

/** Objects with more members are not made. */
const longest = 50
/** How many patterns of names are told apart, in all their combinations. */
const mostPatterns = 3

/** An object without one of the rules that depend on a member, for those without and those with it. */
export function splitObject(schema: ObjectSchema): readonly (readonly Schema[])[] | undefined {
  const [names, ...otherNames] = schema.dependentRequired
  if (names !== undefined) {
    const rest = { ...schema, dependentRequired: otherNames }
    const required = createObject({ alsoRequired: [names.name, ...names.requires] })
    return [
      [rest, withoutMember(names.name)],
      [rest, required],
    ]
  }
  const [rule, ...others] = schema.dependentSchemas
  if (rule === undefined) return undefined
  const rest = { ...schema, dependentSchemas: others }
  return [
    [rest, withoutMember(rule.name)],
    [rest, withMember(rule.name), rule.schema],
  ]
}

function withMember(name: string, schema: Schema = anything): Schema {
  return createObject({ properties: [{ name, schema, required: true }] })
}

function withoutMember(name: string): Schema {
  return createObject({ properties: [{ name, schema: nothing, required: false }] })
}

/**
 * Of the schemas that must not hold, the one with the fewest members that are still free. What breaks
 * it may be impossible, and then no way to break the others is tried.
 */
export function findHardest(
  goal: Goal,
  terms: readonly VersionedSchema[],
): VersionedSchema | undefined {
  if (terms.length < 2) return terms[0]
  const listed = listNames({ ...goal, none: [] })
  const countFree = ({ schema }: VersionedSchema) =>
    schema.kind === 'object' ? schema.properties.filter(({ name }) => !listed.has(name)).length : 0
  return terms
    .map((term) => ({ term, free: countFree(term) }))
    .reduce((hardest, one) => (one.free < hardest.free ? one : hardest)).term
}

/** Goals for the objects that break a rule of one. */
export function violateObject(
  goal: Goal,
  { schema, resolve }: VersionedSchema,
  solve: Solve,
): Split {
  if (schema.kind !== 'object') return { goals: [], isExhaustive: false }
  const and = (all: readonly Schema[], none: readonly Schema[] = []): Goal =>
    add(
      goal,
      all.map((one) => ({ schema: one, resolve })),
      none.map((one) => ({ schema: one, resolve })),
    )
  const { minProperties = 0, maxProperties, propertyNames, patterns, additional } = schema
  const own = new Set(schema.properties.map(({ name }) => name))
  const isClosed = patterns.length > 0 || additional.kind !== 'any' || propertyNames !== undefined
  const fresh = isClosed
    ? listFreshNames({ ...goal, none: [...goal.none, { schema, resolve }] }, 1, solve)
    : { names: [], isExhaustive: true }
  const names = new Set([...listNames(goal), ...own, ...fresh.names])
  const goals = [
    ...[...listRequired(schema)].map((name) => and([withoutMember(name)])),
    ...[...names].flatMap((name) =>
      listPropertyRules(schema, name).flatMap((rule) =>
        rule.kind === 'any' ? [] : [and([withMember(name, negate(rule))])],
      ),
    ),
    ...(propertyNames === undefined
      ? []
      : [...names]
          .filter((name) => !admits(propertyNames, name, resolve))
          .map((name) => and([withMember(name)]))),
    ...(minProperties > 0 ? [and([createObject({ maxProperties: minProperties - 1 })])] : []),
    ...(maxProperties === undefined
      ? []
      : [and([createObject({ minProperties: maxProperties + 1 })])]),
    ...schema.dependentRequired.flatMap(({ name, requires }) =>
      requires.map((required) => and([withMember(name), withoutMember(required)])),
    ),
    ...schema.dependentSchemas.map((rule) => and([withMember(rule.name)], [rule.schema])),
  ]
  return { goals, isExhaustive: fresh.isExhaustive }
}

/** The names that the objects of a goal speak of. */
function listNames(goal: Goal): ReadonlySet<string> {
  return new Set(
    listObjects(goal).flatMap(({ schema }) => [
      ...schema.properties.map(({ name }) => name),
      ...schema.alsoRequired,
      ...schema.dependentRequired.flatMap(({ name, requires }) => [name, ...requires]),
      ...schema.dependentSchemas.map(({ name }) => name),
    ]),
  )
}

type VersionedObject = VersionedSchema & { readonly schema: ObjectSchema }

function listObjects({ all, none }: Goal): readonly VersionedObject[] {
  return [...all, ...none].filter((term): term is VersionedObject => term.schema.kind === 'object')
}

/**
 * Names that no object lists, `ofEach` for each combination of the patterns that they match.
 * `isExhaustive`: every other name is like one of them.
 */
function listFreshNames(goal: Goal, ofEach: number, solve: Solve): Names {
  const objects = listObjects(goal)
  const sources = objects.flatMap(({ schema }) => schema.patterns.map(({ pattern }) => pattern))
  const texts = [...new Set(sources)].map((pattern) =>
    toVersioned({ kind: 'string', notes: nowhere, pattern }),
  )
  const rules = objects.flatMap(({ schema, resolve }) =>
    schema.propertyNames ? [{ schema: schema.propertyNames, resolve }] : [],
  )
  const distinguished = [...texts, ...rules]
  const listedNames = [...listNames(goal)]
  const names: string[] = []
  let isExhaustive = distinguished.length <= mostPatterns
  for (let signs = 0; signs < 2 ** Math.min(distinguished.length, mostPatterns); signs++) {
    for (let count = 0; count < ofEach; count++) {
      const isMet = (_: VersionedSchema, at: number) => ((signs >> at) & 1) === 1
      const solution = solve({
        all: [text, ...distinguished.filter(isMet)],
        none: [
          toVersioned(createEnum([...listedNames, ...names])),
          ...distinguished.filter((term, at) => !isMet(term, at)),
        ],
      })
      isExhaustive &&= solution !== 'unknown'
      if (typeof solution === 'string' || typeof solution.value !== 'string') break
      names.push(solution.value)
    }
  }
  return { names, isExhaustive }
}

type Names = { readonly names: readonly string[]; readonly isExhaustive: boolean }

const text = toVersioned({ kind: 'string', notes: nowhere })

/** The object of all required members, and of as many others as a count requires. */
export function fillObject(goal: Goal, solve: Solve): Solution {
  const objects = listObjects({ ...goal, none: [] })
  const least = Math.max(0, ...objects.map(({ schema }) => schema.minProperties ?? 0))
  const most = Math.min(...objects.map(({ schema }) => schema.maxProperties ?? Infinity))
  if (least > longest) return 'unknown'
  const solveMember = (name: string): Solution => {
    const isAllowed = objects.every(
      ({ schema: { propertyNames }, resolve }) =>
        propertyNames === undefined || admits(propertyNames, name, resolve),
    )
    if (!isAllowed) return 'none'
    return solve({
      all: objects.flatMap(({ schema, resolve }) =>
        listPropertyRules(schema, name).map((rule) => ({ schema: rule, resolve })),
      ),
      none: [],
    })
  }
  const members = new Map<string, Json>()
  let isUnknown = false
  for (const name of new Set(objects.flatMap(({ schema }) => [...listRequired(schema)]))) {
    const solution = solveMember(name)
    if (solution === 'none') return 'none'
    if (solution === 'unknown') isUnknown = true
    else members.set(name, solution.value)
  }
  if (isUnknown) return 'unknown'
  if (members.size > most || least > most) return 'none'
  const addMember = (name: string): void => {
    if (members.has(name) || members.size >= least) return
    const solution = solveMember(name)
    isUnknown ||= solution === 'unknown'
    if (typeof solution === 'object') members.set(name, solution.value)
  }
  if (members.size < least) {
    listNames(goal).forEach(addMember)
    const fresh = listFreshNames(goal, least, solve)
    fresh.names.forEach(addMember)
    // more of the same would be rejected too, unless there was one
    isUnknown ||= !fresh.isExhaustive || fresh.names.some((name) => members.has(name))
    if (members.size < least) return isUnknown ? 'unknown' : 'none'
  }
  return { value: Object.fromEntries(members) }
}
