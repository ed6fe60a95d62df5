import type { ts } from 'ts-morph'
import { byPlace, touchOf, type Touch } from '../find-impact.js'
import { findUses, type ImpactOptions } from '../find-uses.js'
import { isFormerName, type Use } from '../use.js'
import { addCases } from './add-cases.js'
import type { Edit } from './edit.js'
import { fillFields, gapAt, required, type Gap } from './fill-fields.js'
import { movesOf, type MoveUse } from './move-parameters.js'
import { rename } from './rename.js'
import { renamesIn, type Renames } from './renames.js'

export type Fixes = {
  /** By file and place. They do not overlap. */
  readonly edits: readonly Edit[]
  /** The places that stay as they are, since what to write there is not certain. */
  readonly left: readonly Touch[]
}

/** Finds the edits that follow from the changes alone. Reads the program and changes nothing. */
export function findFixes(options: ImpactOptions): Fixes {
  const renames = renamesIn(options)
  const edits = new Map<string, Edit>()
  const left = new Map<string, Touch>()
  const handled = new Set<string>()
  const gaps: Gap[] = []
  const moving: MoveUse[] = []
  for (const use of findUses(options)) {
    const { change } = use.target
    if (required.has(change.code) && renames.isNewName(change)) continue
    const touch = touchOf(use.node, change, use.compiler)
    const key = `${touch.file}:${touch.line} ${change.id}`
    if (change.code === 'request-parameter-moved') {
      moving.push({ use, touch })
      continue
    }
    const gap = gapAt(use, options.program.getTypeChecker())
    if (gap !== undefined) gaps.push(gap)
    const made = gap !== undefined ? [] : fixOf(use, renames.of(change), options.program)
    for (const edit of made ?? []) edits.set(`${edit.file}:${edit.start}:${edit.end}`, edit)
    if (made !== undefined) handled.add(key)
    else if (!isFormerName(use.node) && !(left.get(key)?.compiler === true)) left.set(key, touch)
  }
  const moved = movesOf(moving)
  for (const touch of moved.left) left.set(`${touch.file}:${touch.line} ${touch.change.id}`, touch)
  const open = gaps.filter(({ literal, name }) => moved.into.get(literal)?.has(name) !== true)
  return {
    edits: [...edits.values(), ...moved.edits, ...fillFields(open)].toSorted(byPlace),
    left: [...left].flatMap(([key, touch]) => (handled.has(key) ? [] : [touch])).toSorted(byPlace),
  }
}

function fixOf(use: Use, renames: Renames, program: ts.Program): readonly Edit[] | undefined {
  if (use.target.change.code === 'response-enum-widened') return addCases(use, program.getTypeChecker())
  return rename(use, renames, program)
}
