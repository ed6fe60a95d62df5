import type { Change } from '@farebox/spec-diff'
import ts from 'typescript'
import {
  collectPlaces,
  type ContractPlace,
  type Owner,
  type RenamedPlace,
} from '../contract/places.js'
import type { ImpactOptions } from '../find/find-impact.js'
import { findFormerNames } from '../contract/former.js'
import { listServerTypeNames, listFunctionNames, listTypeNames } from '../code/generated-code.js'
import { toList } from '../find/find-values.js'
import type { Use } from '../find/targets.js'
import { createEditor, type Edit } from './edit.js'
import { quoteString } from './members.js'

/** The new names by the old ones. */
export type Renames = ReadonlyMap<string, string>

export type RenamesByChange = {
  /** The new names of the members that a change removes or renames. Empty: none is certain. */
  readonly names: (change: Change) => Renames
  /** The same for the values of an enum. */
  readonly values: (change: Change) => RenamedValues
  /** Whether the addition of a change is only a rename. */
  readonly isNewName: (change: Change) => boolean
}

/** The renames between two versions, by the changes that report them. */
export function collectRenames({
  changes,
  base,
  head,
}: Pick<ImpactOptions, 'changes' | 'base' | 'head'>): RenamesByChange {
  const former = findFormerNames(changes, { base, head })
  const [operations, schemas] = [invert(former.operations), invert(former.schemas)]
  const [older, newer] = [collectPlaces(base.api), collectPlaces(head.api, former)]
  const formerKey = ({ place: { owner, path }, from }: RenamedPlace) =>
    toPlaceKey(owner, [...path.slice(0, -1), formerStep(owner, from)])
  const formerStep = (owner: Owner, from: string) => {
    const operation =
      owner.kind === 'input'
        ? base.api.operations.find(({ id }) => id === owner.operation)
        : undefined
    return operation?.parameters.find(({ name }) => name === from)?.field ?? from
  }
  const properties = invert(
    newer.renamed.map((one) => [String(one.place.path.at(-1)), formerKey(one)]),
  )
  const renamesAt = (places: readonly ContractPlace[]) =>
    invert(
      places.flatMap(({ owner, path }) =>
        listFields(properties.get(toPlaceKey(owner, path))).map((to) => [to, String(path.at(-1))]),
      ),
    )
  const gone = new Set(
    changes.flatMap(({ code, place }) =>
      removals.has(code) ? older.at(place).map(({ owner, path }) => toPlaceKey(owner, path)) : [],
    ),
  )
  const newNames = new Set(
    newer.renamed.flatMap((one) =>
      gone.has(formerKey(one)) ? [toPlaceKey(one.place.owner, one.place.path)] : [],
    ),
  )
  const isNewName = ({ place }: Change) =>
    place.side === 'head' &&
    newer.at(place).some(({ owner, path }) => newNames.has(toPlaceKey(owner, path)))
  const names = (change: Change): Renames => {
    const { code, from, to, subject } = change
    const name = typeof from === 'string' ? from : subject.kind === 'document' ? '' : subject.name
    if (code === 'operation-removed' || code === 'operation-id-changed')
      return renameOperation(name, operations.get(name))
    if (code === 'schema-removed' || code === 'schema-renamed')
      return toRename(name, schemas.get(name))
    if (code === 'request-field-renamed' || code === 'operation-template-renamed')
      return toRename(name, String(to))
    return removals.has(code) ? renamesAt(older.at(change.place)) : new Map()
  }
  return {
    names,
    isNewName,
    values: (change) => listNewValues(newer.renamedValues(change.place), change),
  }
}

const removals = new Set<Change['code']>([
  'request-parameter-removed',
  'request-property-removed',
  'response-property-removed',
])

function renameOperation(from: string, to: string | undefined): Renames {
  if (to === undefined) return new Map()
  const names = (id: string) => [
    ...listFunctionNames(id),
    ...listTypeNames(id),
    ...listServerTypeNames(id),
  ]
  const after = names(to)
  return new Map(names(from).map((name, index) => [name, after[index] ?? name]))
}

function toRename(from: string, to: string | undefined): Renames {
  return new Map(to === undefined ? [] : [[from, to]])
}

/** From the former name to the new one. A former name that two claim is left out. */
function invert(names: Iterable<readonly [to: string, from: string]>): Renames {
  const found = new Map<string, Set<string>>()
  for (const [to, from] of names) found.set(from, (found.get(from) ?? new Set()).add(to))
  return new Map(
    [...found].flatMap(([from, claims]) =>
      claims.size === 1 ? [...claims].map((to) => [from, to] as const) : [],
    ),
  )
}

function toPlaceKey(owner: Owner, path: ContractPlace['path']): string {
  return JSON.stringify([owner, path])
}

function listFields(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name]
}

/** The newer values of an enum by the older ones. */
export type RenamedValues = ReadonlyMap<unknown, unknown>

/**
 * What the removed values are called now. `stated` maps newer values to older ones. A value that two
 * claim to have been is left out.
 */
function listNewValues(
  stated: Readonly<Record<string, unknown>>,
  { from, to }: Change,
): RenamedValues {
  const [before, after] = [toList(from), toList(to)]
  const pairs = after
    .filter((value) => !before.includes(value) && Object.hasOwn(stated, String(value)))
    .map((value) => [stated[String(value)], value] as const)
    .filter(([former]) => before.includes(former) && !after.includes(former))
  return new Map(
    pairs.filter(([former]) => pairs.filter(([other]) => other === former).length === 1),
  )
}

/** Writes the newer value. Undefined: the value is written elsewhere, such as in a variable. */
export function renameValue(
  { node, target }: Use,
  values: RenamedValues,
): readonly Edit[] | undefined {
  if (!ts.isStringLiteralLike(node) && !ts.isNumericLiteral(node)) return undefined
  const value = values.get(ts.isNumericLiteral(node) ? Number(node.text) : node.text)
  if (value === undefined) return undefined
  const now = typeof value === 'string' ? value : JSON.stringify(value)
  const text = ts.isNumericLiteral(node) ? now : quoteString(now, node.getText().charAt(0))
  return [createEditor(target.change)(node, text, `the value ${node.text} is called ${now} now`)]
}
