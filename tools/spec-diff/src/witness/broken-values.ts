import { admits, isObject, type Json, type Schema } from '@farebox/codegen'
import { takeFirst, type Part } from './candidates.js'

/** How many values of an option are looked at. */
const tried = 60
/** How many members of a value are changed at most. */
const mostChanges = 100

/**
 * Values of one version that break as many rules of the other as they can: each member that only
 * the other has a rule for gets a value of another type.
 */
export function* listBroken(accepting: Part, refusing: Part): Iterable<Json> {
  for (const option of listParts(accepting.schema, accepting, { splits: false })) {
    const isMine = (value: Json) => admits(option, value, accepting.resolve)
    const whole = findLongest([...takeFirst(accepting.candidates.list(option), tried)], isMine)
    if (!isObject(whole) && !Array.isArray(whole)) continue
    const changes: { readonly path: Path; readonly other: Json }[] = []
    let value: Json = whole
    for (const { path, rules } of takeFirst(
      listRules(whole, refusing.schema, refusing),
      mostChanges,
    )) {
      if (changes.some((change) => change.path.every((key, at) => key === path[at]))) continue
      const isTheirs = (other: Json) => rules.some((rule) => admits(rule, other, refusing.resolve))
      const other = ofEachType.find((one) => !isTheirs(one) && isMine(replaceAt(value, path, one)))
      if (other === undefined) continue
      changes.push({ path, other })
      value = replaceAt(value, path, other)
    }
    if (admits(refusing.schema, value, refusing.resolve)) continue
    // one change is easier to read than all of them
    for (const { path, other } of changes) yield replaceAt(whole, path, other)
    yield value
  }
}

/** The longest value has the most members that can be changed. */
function findLongest(values: readonly Json[], isMine: (value: Json) => boolean): Json | undefined {
  const lengths = new Map(values.map((value) => [value, JSON.stringify(value).length]))
  return values
    .toSorted((one, other) => (lengths.get(other) ?? 0) - (lengths.get(one) ?? 0))
    .find(isMine)
}

const ofEachType: readonly Json[] = [1, 'text', true, null, {}, []]

type Path = readonly (string | number)[]

/** The rules for each member that a value has or may have, the outermost first. */
function* listRules(
  whole: Json,
  schema: Schema,
  part: Part,
): Generator<{ readonly path: Path; readonly rules: readonly Schema[] }> {
  const queue: { readonly value: Json; readonly path: Path; readonly rules: readonly Schema[] }[] =
    [{ value: whole, path: [], rules: [schema] }]
  for (const { value, path, rules } of queue) {
    if (path.length > 0) yield { path, rules }
    const members = new Map<string | number, Schema[]>()
    const add = (key: string | number, rule: Schema) =>
      members.set(key, [...(members.get(key) ?? []), rule])
    for (const rule of new Set(rules.flatMap((one) => listParts(one, part, { splits: true }))))
      if (rule.kind === 'object' && isObject(value))
        for (const { name, schema: member } of rule.properties) add(name, member)
      else if (rule.kind === 'array' && Array.isArray(value) && value.length > 0)
        add(0, rule.prefix[0] ?? rule.items)
    for (const [key, inner] of members) {
      const member = (value as Readonly<Record<string, Json>>)[key]
      queue.push({ value: member ?? null, path: [...path, key], rules: inner })
    }
  }
}

function replaceAt(value: Json, [key, ...path]: Path, other: Json): Json {
  if (key === undefined) return other
  const inner = (value as Readonly<Record<string, Json>>)[key]
  const changed = path.length === 0 || inner === undefined ? other : replaceAt(inner, path, other)
  return Array.isArray(value)
    ? value.map((item: Json, index) => (index === key ? changed : item))
    : { ...(value as Readonly<Record<string, Json>>), [key]: changed }
}

/** The options of a union, also by references, and with them the parts of intersections. */
function listParts(
  schema: Schema,
  { resolve }: Part,
  { splits }: { readonly splits: boolean },
): readonly Schema[] {
  const seen = new Set<Schema>()
  const add = (part: Schema): readonly Schema[] => {
    if (seen.has(part)) return []
    seen.add(part)
    if (part.kind === 'ref') return add(resolve(part.name))
    if (part.kind === 'union' || part.kind === 'oneOf') return part.options.flatMap(add)
    return splits && part.kind === 'intersection' ? part.parts.flatMap(add) : [part]
  }
  return add(schema)
}
