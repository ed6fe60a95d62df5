import type { Change, PossibleRename } from '@farebox/spec-diff'
import type ts from 'typescript'
import {
  compareByPlace,
  createTouch,
  findUses,
  type ImpactOptions,
  type Touch,
} from '../find/find-impact.js'
import { isFormerName, type Use } from '../find/targets.js'
import { listAdded } from '../find/find-values.js'
import { addCases } from './add-cases.js'
import { createAwaits, fillFields, findGap, required, type Gap } from './fill-fields.js'
import type { Edit } from './edit.js'
import { findBroken } from './find-broken.js'
import { planMoves, type MoveUse } from './move-parameters.js'
import { rename } from './rename.js'
import { collectRenames, renameValue, type RenamesByChange } from './renames.js'

export type Fixes = {
  /** By file and place. They do not overlap. */
  readonly edits: readonly Edit[]
  /** The places that are left unchanged because the fix is not certain. */
  readonly left: readonly Touch[]
}

/**
 * Finds the edits that follow from the changes without a decision. Reads the program and changes nothing. `open`
 * has the possible renames that are neither confirmed nor denied.
 */
export function findFixes(options: ImpactOptions, open: readonly PossibleRename[] = []): Fixes {
  const renames = collectRenames(options)
  const isAwaited = createAwaits(open)
  const edits = new Map<string, Edit>()
  const left = new Map<string, Touch>()
  const handled = new Set<string>()
  const gaps: Gap[] = []
  const moving: MoveUse[] = []
  const { targets, uses } = findUses(options)
  for (const use of uses) {
    const { change } = use.target
    if (isNoNews(use, renames)) continue
    const touch = createTouch(use.node, change, use.compiler)
    const key = `${touch.file}:${touch.line} ${change.id}`
    if (change.code === 'request-parameter-moved') {
      moving.push({ use, touch })
      continue
    }
    const awaited = isAwaited(change)
    const gap = awaited ? undefined : findGap(use, options.program.getTypeChecker())
    if (gap !== undefined) gaps.push(gap)
    const made = awaited
      ? undefined
      : gap !== undefined
        ? []
        : findFix(use, renames, options.program)
    for (const edit of made ?? []) edits.set(`${edit.file}:${edit.start}:${edit.end}`, edit)
    if (made !== undefined) handled.add(key)
    else if (!isFormerName(use.node) && !(left.get(key)?.compiler === true)) left.set(key, touch)
  }
  const moved = planMoves(moving)
  for (const touch of moved.left) left.set(`${touch.file}:${touch.line} ${touch.change.id}`, touch)
  const unfilled = gaps.filter(({ literal, name }) => moved.into.get(literal)?.has(name) !== true)
  const all = [...edits.values(), ...moved.edits, ...fillFields(unfilled)].toSorted(compareByPlace)
  const kept = [...left].flatMap(([key, touch]) => (handled.has(key) ? [] : [touch]))
  const known = new Set(kept.map(({ file, line }) => `${file}:${line}`))
  const broken = findBroken(all, { targets, renames, program: options.program })
  return {
    edits: all,
    left: [...kept, ...broken.filter(({ file, line }) => !known.has(`${file}:${line}`))].toSorted(
      compareByPlace,
    ),
  }
}

/** Whether the change is only a new name, and the code compiles as it is. */
function isNoNews({ target, compiler }: Use, renames: RenamesByChange): boolean {
  const { change } = target
  if (required.has(change.code)) return renames.isNewName(change)
  if (change.code !== 'response-enum-widened' || compiler) return false
  const renamed = new Set(renames.values(change).values())
  return listAdded(target).every((value) => renamed.has(value))
}

function findFix(
  use: Use,
  renames: RenamesByChange,
  program: ts.Program,
): readonly Edit[] | undefined {
  const { change } = use.target
  if (change.code === 'response-enum-widened')
    return addCases(use, renames.values(change), program.getTypeChecker())
  if (narrowed.has(change.code)) return renameValue(use, renames.values(change))
  return rename(use, renames.names(change), program)
}

const narrowed = new Set<Change['code']>(['request-enum-narrowed', 'response-enum-narrowed'])
